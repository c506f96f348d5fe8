import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyEvent } from '@pressroom/client/hooks';

let building = false;
let wanted = false;

function build() {
  wanted = building;
  if (building) return;
  building = true;
  spawn('npx', ['astro', 'build'], { stdio: 'inherit' }).on('close', () => {
    building = false;
    if (wanted) build();
  });
}

createServer(async (request, response) => {
  try {
    verifyEvent(await text(request), request.headers, process.env.PRESSROOM_SECRET);
    response.writeHead(204).end();
    build();
  } catch {
    response.writeHead(401).end();
  }
}).listen(Number(process.env.PORT ?? 4322), '127.0.0.1');

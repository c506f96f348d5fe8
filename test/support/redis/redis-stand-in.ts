import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import RedisParser from 'redis-parser';

/** A stand-in for Redis that listens. */
export interface RedisStandIn {
  stop(): Promise<void>;
}

/** A counter and when it ends, in ms since the epoch. */
interface Counter {
  count: number;
  ends: number;
}

/**
 * Speaks as much of Redis's protocol as the rate limiter uses, for machines on which no Redis is to be had:
 * PING, what a client says when it connects, and a script that counts a key in a window (`EVAL`, `EVALSHA`
 * with the window in ms as the first argument). CI runs the same tests against a real Redis.
 */
export async function startRedisStandIn(port: number): Promise<RedisStandIn> {
  const counters = new Map<string, Counter>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const parser = new RedisParser({
      returnReply: (command: unknown) => socket.write(answer(counters, command)),
      returnError: () => socket.destroy(),
    });
    socket.on('data', (chunk: Buffer) => {
      if (String(chunk) === 'PING\r\n') socket.write('+PONG\r\n');
      else parser.execute(chunk);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { stop };
}

function answer(counters: Map<string, Counter>, command: unknown): string {
  if (!Array.isArray(command)) return '-ERR unknown command\r\n';
  const [name, , , key, windowMs] = command.map(String);
  switch (name?.toLowerCase()) {
    case 'ping':
      return '+PONG\r\n';
    case 'hello':
      return '-NOPROTO unsupported protocol version\r\n';
    case 'client':
      return '+OK\r\n';
    case 'info':
      return '$11\r\nloading:0\r\n\r\n';
    case 'eval':
    case 'evalsha':
      return count(counters, key ?? '', Number(windowMs));
    default:
      return '-ERR unknown command\r\n';
  }
}

function count(counters: Map<string, Counter>, key: string, windowMs: number): string {
  const now = Date.now();
  const known = counters.get(key);
  const counter = known !== undefined && known.ends > now ? known : { count: 0, ends: now + windowMs };
  counter.count += 1;
  counters.set(key, counter);
  return `*2\r\n:${counter.count}\r\n:${counter.ends - now}\r\n`;
}

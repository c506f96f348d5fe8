// IPX as its documentation shows it with node:http, for images of any host.
import { createServer } from 'node:http';
import { createIPX, createIPXNodeServer, ipxFSStorage, ipxHttpStorage } from 'ipx';

const ipx = createIPX({
  storage: ipxFSStorage({ dir: '.' }),
  httpStorage: ipxHttpStorage({ allowAllDomains: true }),
});
const answer = createIPXNodeServer(ipx);
createServer((request, response) =>
  request.url === '/ready' ? response.end() : answer(request, response),
).listen(Number(process.env.PORT), '127.0.0.1');

import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { buildApp } from '@pressroom/mcp/app';
import { readHttpConfig } from '@pressroom/mcp/config';
import { PATIENT } from './database.ts';
import { memoryLog, type TestLog } from './log.ts';

/** A server of the Model Context Protocol on its own port. */
export interface RunningMcp {
  /** Address for clients. */
  url: string;
  log: TestLog;
  close: () => Promise<void>;
}

/** Starts the server over HTTP, before services that run already. */
export async function startMcp(
  services: { news: string; content: string },
  settings: Record<string, string> = {},
): Promise<RunningMcp> {
  const log = memoryLog('mcp');
  const config = readHttpConfig({
    MCP_NEWS_FEED_URL: services.news,
    MCP_CONTENT_URL: services.content,
    MCP_RATE_LIMIT: '1000000',
    ...PATIENT,
    ...settings,
  });
  const app = await buildApp(config, log.log);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url: `${url}/mcp`, log, close: () => app.close() };
}

/** The revisions of the protocol: by a handshake, or without. */
export type Era = 'legacy' | 'auto';

/** Connects the official client. */
export async function connect(
  url: string,
  { headers = {}, era = 'auto' }: { headers?: Record<string, string>; era?: Era } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The text of what a tool answers. */
export function textOf({ content }: Pick<CallToolResult, 'content'>): string {
  const [block] = content;
  return block?.type === 'text' ? block.text : '';
}

/** The data of an answer as its text has it. Throws if anything in it has left the frame. */
export function dataIn(text: string): Record<string, unknown> {
  const lines = text.split(/[\n\r\u{85}\u{2028}\u{2029}]/u);
  const [, mark] = /^BEGIN DATA ([0-9a-f]{24})$/.exec(lines[1] ?? '') ?? [];
  const isFramed =
    lines.length === 4 &&
    mark !== undefined &&
    lines[0]?.endsWith(`between the two that say ${mark}.`) &&
    lines[3] === `END DATA ${mark}` &&
    !lines[2]?.includes(mark);
  if (!isFramed) throw new Error(`not framed: ${text}`);
  if (/[\p{Cc}\u{202a}-\u{202e}\u{e0000}-\u{e007f}]/u.test(lines[2] ?? ''))
    throw new Error(`unseen: ${text}`);
  return JSON.parse(lines[2] ?? '');
}

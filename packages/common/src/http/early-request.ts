import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../caching/answer.ts';

/** What is known of a request before Fastify has taken it up. */
export type EarlyRequest = Pick<FastifyRequest, 'id' | 'raw' | 'method' | 'url' | 'headers' | 'ip'> & {
  readonly routeOptions: Answer['routeOptions'];
};

/** What is known of its answer, which may get more headers. */
export interface EarlyReply extends Pick<FastifyReply, 'statusCode' | 'elapsedTime'> {
  header(name: string, value: string): EarlyReply;
}

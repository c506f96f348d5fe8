import { type CorsRequest, type CorsRule, findCorsRule } from './cors-rules.ts';
import { S3Error } from './errors.ts';
import type { S3Request } from './request.ts';
import type { S3Response } from './response.ts';

/**
 * Answers a browser that asks whether it may send a request.
 *
 * @throws S3Error AccessForbidden when no rule of the bucket allows it
 */
export function preflight(rules: CorsRule[], { headers }: S3Request): S3Response {
  const { origin, 'access-control-request-method': method } = headers;
  if (!origin || !method) {
    throw new S3Error('InvalidRequest', 'A preflight needs Origin and Access-Control-Request-Method.');
  }
  const requested = (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const request = { origin, method, headers: requested };
  const rule = findCorsRule(rules, request);
  if (!rule) throw new S3Error('AccessForbidden');
  const answered = ruleHeaders(rule, request);
  if (requested.length > 0) answered['access-control-allow-headers'] = requested.join(', ');
  return { status: 200, headers: answered };
}

/** The headers that let a page of another origin read any answer. */
export function corsHeaders(rules: CorsRule[], { method, headers }: S3Request): Record<string, string> {
  const { origin } = headers;
  if (!origin) return {};
  const request = { origin, method, headers: [] };
  const rule = findCorsRule(rules, request);
  return rule ? ruleHeaders(rule, request) : {};
}

function ruleHeaders(rule: CorsRule, { origin }: CorsRequest): Record<string, string> {
  const isForAll = rule.allowedOrigins.includes('*');
  const headers: Record<string, string> = {
    'access-control-allow-origin': isForAll ? '*' : origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
  if (!isForAll) headers['access-control-allow-credentials'] = 'true';
  if (rule.exposeHeaders.length > 0) headers['access-control-expose-headers'] = rule.exposeHeaders.join(', ');
  if (rule.maxAgeSeconds !== undefined) headers['access-control-max-age'] = String(rule.maxAgeSeconds);
  return headers;
}

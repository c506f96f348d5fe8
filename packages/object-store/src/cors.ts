import type { S3Request } from './request.ts';
import {
  elementsOf,
  parseXml,
  S3Error,
  type S3Response,
  textOf,
  textsOf,
  type XmlElement,
} from './response.ts';

/** A rule of a bucket's CORS configuration. */
export interface CorsRule {
  id?: string;
  /** Each with one `*` at most. */
  allowedOrigins: string[];
  allowedMethods: string[];
  /** Each with one `*` at most. */
  allowedHeaders: string[];
  exposeHeaders: string[];
  maxAgeSeconds?: number;
}

/** A browser's request as its preflight or its headers describe it. */
interface CorsRequest {
  origin: string;
  method: string;
  /** Names of the headers that it would send. */
  headers: string[];
}

const METHODS = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'];
const MAXIMUM_RULES = 100;

/**
 * Reads the document of PutBucketCors.
 *
 * @throws S3Error MalformedXML, InvalidRequest
 */
export function parseCorsRules(xml: string): CorsRule[] {
  const rules = elementsOf(parseXml(xml, 'CORSConfiguration'), 'CORSRule').map((element): CorsRule => {
    const id = textOf(element, 'ID');
    const maxAge = textOf(element, 'MaxAgeSeconds');
    if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw new S3Error('MalformedXML');
    return {
      ...(id === undefined ? {} : { id }),
      allowedOrigins: textsOf(element, 'AllowedOrigin'),
      allowedMethods: textsOf(element, 'AllowedMethod'),
      allowedHeaders: textsOf(element, 'AllowedHeader'),
      exposeHeaders: textsOf(element, 'ExposeHeader'),
      ...(maxAge === undefined ? {} : { maxAgeSeconds: Number(maxAge) }),
    };
  });
  if (rules.length === 0 || rules.length > MAXIMUM_RULES) {
    throw new S3Error('MalformedXML', `A CORS configuration has 1 to ${MAXIMUM_RULES} rules.`);
  }
  for (const rule of rules) checkRule(rule);
  return rules;
}

export function corsElements(rules: CorsRule[]): XmlElement {
  return {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedMethod: rule.allowedMethods,
      AllowedOrigin: rule.allowedOrigins,
      AllowedHeader: rule.allowedHeaders,
      ExposeHeader: rule.exposeHeaders,
      MaxAgeSeconds: rule.maxAgeSeconds,
    })),
  };
}

/** The first rule that allows a request, or undefined when none does. */
function findCorsRule(rules: CorsRule[], { origin, method, headers }: CorsRequest): CorsRule | undefined {
  return rules.find(
    (rule) =>
      rule.allowedMethods.includes(method) &&
      rule.allowedOrigins.some((pattern) => matchesPattern(pattern, origin)) &&
      headers.every((header) =>
        rule.allowedHeaders.some((pattern) => matchesPattern(pattern.toLowerCase(), header.toLowerCase())),
      ),
  );
}

function checkRule({ allowedMethods, allowedOrigins, allowedHeaders }: CorsRule): void {
  if (allowedMethods.length === 0 || allowedOrigins.length === 0) throw new S3Error('MalformedXML');
  const unknown = allowedMethods.find((method) => !METHODS.includes(method));
  if (unknown !== undefined) {
    throw new S3Error('InvalidRequest', `Found unsupported HTTP method in CORS config: ${unknown}`);
  }
  const wild = [...allowedOrigins, ...allowedHeaders].find((pattern) => pattern.split('*').length > 2);
  if (wild !== undefined) {
    throw new S3Error('InvalidRequest', `"${wild}" can not have more than one wildcard.`);
  }
}

function matchesPattern(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return pattern === text;
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

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

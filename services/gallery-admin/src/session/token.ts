import { createHash, randomBytes } from 'node:crypto';

/** 256 bits, in base64url. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Makes the value of a session's cookie: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** True for what can be a session's cookie. */
export function isToken(value: string): boolean {
  return TOKEN_PATTERN.test(value);
}

/** What is stored of a token, SHA-256: 256 random bits need no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

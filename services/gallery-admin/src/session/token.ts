import { createHash, randomBytes } from 'node:crypto';

/** 256 bits, in base64url. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Makes the value of a session's cookie: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** True for a well-formed session cookie. */
export function isToken(value: string): boolean {
  return TOKEN_PATTERN.test(value);
}

/** The stored SHA-256 of a token: 256 random bits do not need a slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

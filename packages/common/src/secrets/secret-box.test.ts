import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SecretBox } from './secret-box.ts';

describe('a sealed secret', () => {
  const key = randomBytes(32);
  const box = new SecretBox(key);

  test('opens for its owner, whatever its script, even when empty', () => {
    for (const secret of ['wJalrXUtnFEMI/K7MDENG', 'Ключ 🔑', '']) {
      expect(new SecretBox(key).open(box.seal(secret, 'one'), 'one')).toBe(secret);
    }
  });

  test('differs each time and reveals nothing of the secret', () => {
    const sealed = box.seal('secret-secret-secret', 'one');
    expect(sealed).not.toBe(box.seal('secret-secret-secret', 'one'));
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('secret');
  });

  test('does not open for another owner or with another key', () => {
    const sealed = box.seal('secret', 'one');
    expect(box.open(sealed, 'two')).toBeUndefined();
    expect(new SecretBox(randomBytes(32)).open(sealed, 'one')).toBeUndefined();
  });

  test('opens with the key before, which seals nothing', () => {
    const [next, sealed] = [randomBytes(32), box.seal('secret', 'one')];
    const changed = new SecretBox(next, key);
    expect(changed.open(sealed, 'one')).toBe('secret');
    expect(changed.open(sealed, 'two')).toBeUndefined();
    const again = changed.seal('secret', 'one');
    expect(new SecretBox(next).open(again, 'one')).toBe('secret');
    expect(box.open(again, 'one')).toBeUndefined();
  });

  test('does not open if any byte was altered or it was cut short', () => {
    const bytes = Buffer.from(box.seal('secret', 'one'), 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
      expect(box.open(altered.toString('base64'), 'one')).toBeUndefined();
      expect(box.open(bytes.subarray(0, at).toString('base64'), 'one')).toBeUndefined();
    }
  });
});

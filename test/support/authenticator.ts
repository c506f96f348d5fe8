import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A browser's request to make or use a passkey, as far as an authenticator looks at it. */
interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

/** Parts of an authenticator's answer that a test can falsify. */
interface Deceit {
  origin?: string;
  rpId?: string;
  challenge?: string;
  userHandle?: string;
  /** User present, user verified. */
  flags?: number;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** A passkey in software: makes and signs what a browser and its authenticator would (WebAuthn, level 3). */
export class SoftwarePasskey {
  readonly #origin: string;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly id = randomBytes(16);
  #userHandle = 'bm9ib2R5';
  /** Number of signatures; zero where it does not count. */
  counter: number;

  constructor(origin: string, counter = 0) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.counter = counter;
  }

  /** Answers `navigator.credentials.create()`. */
  create(options: Options, deceit: Deceit = {}) {
    this.#userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = Buffer.concat([
      this.#head(options.rp?.id ?? '', ATTESTED, deceit),
      Buffer.alloc(16),
      length,
      this.id,
      cose,
    ]);
    const size = Buffer.from([0x58, data.length]);
    // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      size,
      data,
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options, deceit),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers `navigator.credentials.get()`. */
  get(options: Options, deceit: Deceit = {}) {
    if (this.counter > 0) this.counter += 1;
    const data = this.#head(options.rpId ?? '', 0, deceit);
    const clientDataJSON = this.#clientData('webauthn.get', options, deceit);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = sign('sha256', Buffer.concat([data, hash]), this.#keys.privateKey);
    return this.#answer({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: deceit.userHandle ?? this.#userHandle,
    });
  }

  #answer<Response>(response: Response) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, { challenge }: Options, deceit: Deceit): string {
    const data = { type, challenge: deceit.challenge ?? challenge, origin: deceit.origin ?? this.#origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false })).toString('base64url');
  }

  #head(rpId: string, more: number, deceit: Deceit): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = (deceit.flags ?? PRESENT | VERIFIED) | more;
    const hash = createHash('sha256')
      .update(deceit.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, Buffer.from([flags]), counter]);
  }
}

/** The code of an app for a secret in base32 at a time in ms (RFC 6238, of six digits and 30 seconds). */
export function appCode(secret: string, at: number): string {
  const bits = [...secret].map((one) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  const number = mac.readUInt32BE(mac.readUInt8(19) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

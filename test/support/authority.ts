import { generate } from 'selfsigned';

const KEYS = { keyType: 'ec', algorithm: 'sha256' } as const;

/** A key and its certificate, as PEM. */
interface Certified {
  key: string;
  cert: string;
}

/** An authority that nobody else trusts. */
export interface Authority {
  /** Its certificate, as PEM. */
  cert: string;
  /** Certifies a server under a host name. */
  certify: (name: string) => Promise<Certified>;
}

/** Makes an authority of the caller's own. */
export async function makeAuthority(): Promise<Authority> {
  const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...KEYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const certify = async (name: string) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
      ...KEYS,
      ca: { key: authority.private, cert: authority.cert },
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
    });
    return { key, cert };
  };
  return { cert: authority.cert, certify };
}

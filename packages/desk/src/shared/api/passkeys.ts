import { ApiProblem } from './problem.ts';

/** True if the browser can keep passkeys here; it keeps none for an address without a name. */
export function hasPasskeys(): boolean {
  const isNamed = !/^[\d.]+$|^\[/.test(location.hostname);
  return isNamed && 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Has the browser make a passkey. Throws an {@link ApiProblem} if nothing came of it. */
export async function makePasskey(options: object) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const { id, rawId, response } = await written<RegistrationResponseJSON>(
    navigator.credentials.create({ publicKey }),
  );
  const { clientDataJSON, attestationObject, transports } = response;
  return {
    id,
    rawId,
    type: 'public-key' as const,
    response: { clientDataJSON, attestationObject, transports },
  };
}

/** Has the browser use a passkey, likewise. */
export async function usePasskey(options: object) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const { id, rawId, response } = await written<AuthenticationResponseJSON>(
    navigator.credentials.get({ publicKey }),
  );
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  return {
    ...{ id, rawId, type: 'public-key' as const },
    response: { clientDataJSON, authenticatorData, signature, userHandle },
  };
}

async function written<Answer>(asked: Promise<Credential | null>): Promise<Answer> {
  try {
    return ((await asked) as PublicKeyCredential).toJSON() as Answer;
  } catch (error) {
    const isKept = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new ApiProblem(400, isKept ? 'passkey_taken' : 'passkey_cancelled', String(error));
  }
}

import type { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';

/** The HTTP request that a command has become. */
export interface SignedRequest {
  method: string;
  path: string;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: unknown;
}

/** Makes a change to the request of a command after it was signed, as somebody in between could. */
export function afterSigning(change: (request: SignedRequest) => void) {
  return (command: GetObjectCommand | PutObjectCommand): void => {
    // A command of either kind takes middleware of the same form.
    const { middlewareStack } = command as GetObjectCommand;
    middlewareStack.add(
      (next) => (args) => {
        change(args.request as SignedRequest);
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'tampering' },
    );
  };
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths of a description that answer `M`. */
export type PathsOf<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends { [Name in M]: object } ? Path : never;
}[keyof Paths] &
  string;

/** What a description says of one method of one path. */
export type OperationOf<Paths, Path extends keyof Paths, M extends Method> = Paths[Path] extends {
  [Name in M]: infer Operation;
}
  ? Operation
  : never;

type ParametersIn<Operation, Place extends string> = Operation extends {
  parameters: { [Name in Place]?: infer Value };
}
  ? Exclude<Value, undefined>
  : never;

type BodyIn<Operation> = Operation extends { requestBody?: infer Body }
  ? Exclude<Body, undefined> extends { content: { 'application/json': infer Value } }
    ? Value
    : never
  : never;

/** A member that is absent, optional or required, as the value's own members are. */
type Member<Name extends string, Value> = [Value] extends [never]
  ? { [N in Name]?: undefined }
  : Partial<Value> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

/** What any request may be given. */
export interface CommonOptions {
  /** Ends the request, and its retries, when it is aborted. */
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
  /** How long it waits for its turn, in ms: see `RetryPolicy`. */
  patience?: number;
  /**
   * Makes a write repeatable where the operation takes an `Idempotency-Key`: it is then retried like a read.
   */
  idempotencyKey?: string;
}

/** The parameters and the body of an operation, each by its name in the description. */
export type RequestOptions<Operation> = CommonOptions &
  Member<'path', ParametersIn<Operation, 'path'>> &
  Member<'query', ParametersIn<Operation, 'query'>> &
  Member<'body', BodyIn<Operation>>;

/** The arguments after the path: none are needed where nothing is required. */
export type OptionArguments<Operation> =
  Partial<RequestOptions<Operation>> extends RequestOptions<Operation>
    ? [options?: RequestOptions<Operation>]
    : [options: RequestOptions<Operation>];

type Success = 200 | 201 | 202 | 204;

type ContentOf<Response> = Response extends { content: infer Content }
  ? Content extends { 'application/json': infer Value }
    ? Value
    : undefined
  : undefined;

/** The body of a successful answer; undefined where the answer has none, or none that is JSON. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses & Success]: ContentOf<Responses[Status]> }[keyof Responses & Success]
  : never;

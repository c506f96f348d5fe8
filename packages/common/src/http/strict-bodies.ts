import { z } from 'zod';
import type { Server } from './server.ts';

/** Any zod schema, with its definition. */
type Schema = z.core.$ZodType & z.ZodType;

/**
 * Makes the body of every route added afterwards refuse members unknown to its schema, at any depth:
 * otherwise a misspelt name would be silently dropped. An object that accepts any members says so itself
 * (`z.looseObject`).
 */
export function refuseUnknownMembers(app: Server): void {
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body;
    if (body instanceof z.ZodType) route.schema = { ...route.schema, body: strictly(body) };
  });
}

/** `schema` with every object in it strict; itself if nothing has to change. */
export function strictly(schema: Schema): Schema {
  if (schema instanceof z.ZodObject) return strictObject(schema);
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as Schema[]).map(strictly);
    const isSame = options.every((option, index) => option === schema.options[index]);
    return isSame ? schema : changed(schema, { options });
  }
  if (schema instanceof z.ZodArray) return inside(schema, 'element', schema.element as Schema);
  if (schema instanceof z.ZodPipe) return inside(schema, 'in', schema.in as Schema);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return inside(schema, 'innerType', schema.def.innerType as Schema);
  }
  return schema;
}

function strictObject(schema: z.ZodObject): Schema {
  const members = Object.entries(schema.shape as Record<string, Schema>);
  const shape = Object.fromEntries(members.map(([name, member]) => [name, strictly(member)]));
  const isSame = members.every(([name, member]) => shape[name] === member);
  const { catchall } = schema.def;
  return isSame && catchall !== undefined
    ? schema
    : changed(schema, { shape, catchall: catchall ?? z.never() });
}

function inside(schema: Schema, place: string, inner: Schema): Schema {
  const strict = strictly(inner);
  return strict === inner ? schema : changed(schema, { [place]: strict });
}

/** A copy with another definition, which keeps the checks and the description of the original. */
function changed(schema: Schema, definition: object): Schema {
  return schema.clone({ ...schema.def, ...definition } as never, { parent: true });
}

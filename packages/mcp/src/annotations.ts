import type { ToolAnnotations } from '@modelcontextprotocol/server';

/** Of tools that change nothing. What they answer was written by anyone. */
export const READING: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };

/** Of tools that add to what is there. */
export const ADDING: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** Of tools that replace what is there, or show it to readers. */
export const CHANGING: ToolAnnotations = { ...ADDING, destructiveHint: true, idempotentHint: true };

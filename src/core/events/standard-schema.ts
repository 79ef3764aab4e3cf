import type { SessionEvent } from './event.ts'
import { parseSessionEvent } from './guard.ts'

/** A schema of events that follows "Standard Schema", version 1 (standardschema.dev). */
export interface SessionEventSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'agentfold'
    readonly validate: (value: unknown) => SessionEventResult
    readonly types?: { readonly input: SessionEvent; readonly output: SessionEvent }
  }
}

/** The event itself, or every issue with its path. */
export type SessionEventResult =
  | { readonly value: SessionEvent; readonly issues?: undefined }
  | {
      readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[]
    }

/** `parseSessionEvent` for every library that takes a Standard Schema, such as tRPC inputs or TanStack validators. */
export const sessionEventSchema: SessionEventSchema = {
  '~standard': { version: 1, vendor: 'agentfold', validate },
}

function validate(value: unknown): SessionEventResult {
  const parsed = parseSessionEvent(value)
  if (parsed.ok) return { value: parsed.event }
  return { issues: parsed.issues.map(({ path, expected }) => ({ path, message: `expected ${expected}` })) }
}

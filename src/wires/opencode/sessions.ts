import { type Changes, hasChanges, omitUndefined } from '../../core/json/fields.ts'
import type { OpencodeContext } from './context.ts'
import type { SessionNote } from './notes.ts'
import { NO_SESSION } from './place.ts'

/** Returns the note on a session. */
export function sessionNote(id: string, { notes }: OpencodeContext): SessionNote {
  return notes.sessions.get(id) ?? NO_NOTE
}

const NO_NOTE: SessionNote = {}

/** Changes the note on a session. */
export function noteSession(id: string, changes: Changes<SessionNote>, context: OpencodeContext): void {
  const note = sessionNote(id, context)
  if (hasChanges(note, changes)) context.setEntry('sessions', id, omitUndefined({ ...note, ...changes }))
}

/** Returns the session of main, or undefined if it is not known yet: the first session that works, or that the input sees begin, and has no parent. */
export function mainSession({ facts, notes }: OpencodeContext): string | undefined {
  return facts.id ?? (notes.hasUnnamedMain ? NO_SESSION : undefined)
}

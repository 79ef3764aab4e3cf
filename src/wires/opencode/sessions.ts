import { omitUndefined } from '../../json/omit-undefined.ts'
import type { OpencodeContext } from './context.ts'
import type { Changes, SessionNote } from './notes.ts'
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

function hasChanges<Note extends object>(note: Note, changes: Changes<Note>): boolean {
  for (const name in changes) if (note[name] !== changes[name]) return true
  return false
}

/** Returns the session of main, or undefined if it is not known yet: the first session that works, or that the input sees begin, and has no parent. */
export function mainSession({ facts, notes }: OpencodeContext): string | undefined {
  return facts.id ?? (notes.hasUnnamedMain ? NO_SESSION : undefined)
}

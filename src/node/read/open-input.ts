import { stat } from 'node:fs/promises'
import { normalize } from 'node:path'
import type { Architecture } from '../../programs/program.ts'
import type { CombinedTranscript } from '../../session/input/combined.ts'
import { readChunks } from '../files/file-reader.ts'
import type { OnUnreadable } from '../files/list-files.ts'
import { wrapReadError } from '../files/read-error.ts'
import { combineSession } from './combine-session.ts'

/** An opened input: chunks of one text, or the files of a session. `size` is in bytes. */
export type Input =
  | { readonly kind: 'chunks'; readonly chunks: AsyncIterable<Uint8Array | string>; readonly size?: number }
  | { readonly kind: 'files'; readonly transcript: CombinedTranscript; readonly architecture: Architecture }

/**
 * Opens a file, a session's file with the files of its subagents, or a folder with one session. With `onUnreadable`, a folder inside that
 * cannot be read is skipped.
 */
export async function openInput(
  path: string,
  architecture?: Architecture,
  onUnreadable?: OnUnreadable,
): Promise<Input> {
  const combined = await combineSession(path, architecture, onUnreadable)
  if ('transcript' in combined)
    return { kind: 'files', transcript: combined.transcript, architecture: combined.architecture }
  const { size } = await wrapReadError(stat(combined.file))
  return { kind: 'chunks', chunks: readChunks(normalize(combined.file)), size }
}

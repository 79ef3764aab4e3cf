import { setTimeout } from 'node:timers/promises'
import { titleOf } from '../session-reference.ts'
import type { SessionWriter } from './session-writer.ts'

interface TitleOptions {
  /** The path of the session. */
  readonly path: string
  /** Ends the looks. */
  readonly signal: AbortSignal
}

/** The time between two looks, in ms. */
const PAUSE_MS = 5000

/** Gives the session its later titles: a program or a person may name it long after its start, and in another file. */
export async function followTitle(
  writer: Pick<SessionWriter, 'rename'>,
  { path, signal }: TitleOptions,
): Promise<void> {
  while (await hasPaused(signal)) writer.rename(await titleOf({ path }))
}

/** Whether the pause is over before the end. It keeps no process alive. */
function hasPaused(signal: AbortSignal): Promise<boolean> {
  return setTimeout(PAUSE_MS, true, { signal, ref: false }).catch(() => false)
}

import type { SessionConversationState } from '../../core/state/session.ts'
import { type Loss, LossCounter } from '../plan/losses.ts'
import { planSession } from '../plan/plan-session.ts'
import type { WrittenFiles } from './target.ts'
import { targetOf } from './targets/all.ts'

/** The program that goes on, and where. */
export interface WriteOptions {
  /** The name of the program that goes on, such as `claude-code` or `codex`. */
  readonly program: string
  /** The absolute path of the folder in which it goes on. Without it, that of the session. */
  readonly cwd?: string
  /** The model that the program should name as the last one. OpenCode goes on with it, as `provider/model`, and Kimi Code, as its alias. Without it, that of the session. */
  readonly model?: string
}

/** A session as another program stores it. */
export interface WrittenSession extends WrittenFiles {
  /** The content of the state that the files lack. */
  readonly losses: readonly Loss[]
}

/**
 * Returns the files with which a program resumes a session that another one made. The ids are new, and the same state gives the same files.
 * Throws a `RangeError` for a program whose sessions cannot be written, or without a folder.
 */
export function writeSession(state: SessionConversationState, options: WriteOptions): WrittenSession {
  const target = targetOf(options.program)
  const cwd = options.cwd ?? state.session.cwd
  if (cwd === undefined || cwd === '')
    throw new RangeError('cwd: pass the folder in which the program goes on')
  const losses = new LossCounter()
  const { model } = options
  const { plan, ids } = planSession(state, { destination: target, cwd, losses, model })
  const written = target.write(plan, { ids, losses, model })
  return { ...written, losses: losses.list() }
}

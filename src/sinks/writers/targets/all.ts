import { programOf } from '../../../programs/all.ts'
import { type Target, WriteError } from '../target.ts'
import { claudeCodeTarget } from './claude-code.ts'
import { codexTarget } from './codex.ts'
import { copilotTarget } from './copilot.ts'
import { geminiTarget } from './gemini.ts'
import { kimiTarget } from './kimi.ts'
import { opencodeTarget } from './opencode.ts'
import { piTarget } from './pi.ts'
import { qwenTarget } from './qwen.ts'

const TARGETS: readonly Target[] = [
  claudeCodeTarget,
  codexTarget,
  opencodeTarget,
  piTarget,
  geminiTarget,
  qwenTarget,
  copilotTarget,
  kimiTarget,
]

/** Returns the names of the programs whose sessions can be written. */
export function writablePrograms(): readonly string[] {
  return TARGETS.map(({ program }) => program)
}

/** Whether a program goes on with the model that its session or its command names. */
export function takesModel(program: string): boolean {
  return targetOf(program).takesModel === true
}

/** Returns what writes a program's sessions. Throws a `WriteError` for any other name. */
export function targetOf(program: unknown): Target {
  const name = typeof program === 'string' ? programOf(program)?.names[0] : undefined
  const target = TARGETS.find((each) => each.program === name)
  if (!target)
    throw new WriteError('unknown-program', 'program', `program: use one of ${writablePrograms().join(', ')}`)
  return target
}

import type { RecordedProgram } from '../program.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { kimi } from './kimi.ts'
import { kilo, opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

/** The programs that the recorder runs. */
export const RECORDED_PROGRAMS: readonly RecordedProgram[] = [
  claudeCode,
  opencode,
  kilo,
  codex,
  pi,
  kimi,
  copilot,
  gemini,
  qwen,
]

/** The programs that the library reads and the recorder does not run. */
export const UNRECORDED_PROGRAMS: readonly { readonly name: string; readonly reason: string }[] = [
  { name: 'grok', reason: 'the recorder has no way to start it' },
  { name: 'cline', reason: 'the recorder has no way to start it' },
]

import type { RecordedProgram } from '../program.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'

/** The programs that the recorder runs. */
export const RECORDED_PROGRAMS: readonly RecordedProgram[] = [claudeCode, codex]

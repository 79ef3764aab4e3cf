import { describe } from 'vitest'
import { CLAUDE } from './claude.ts'
import { itReadsDamagedInput } from './laws.ts'
import { OPENCODE } from './opencode.ts'

describe('the source of Claude Code', () => itReadsDamagedInput(CLAUDE, 0.05))
describe('the source of OpenCode', () => itReadsDamagedInput(OPENCODE, 0.05))

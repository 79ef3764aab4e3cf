import { describe, it } from 'vitest'
import { claudeSource } from '../../src/entries/claude.ts'
import { opencodeSource } from '../../src/entries/opencode.ts'
import { expectGood } from './good-messages.ts'
import { CLAUDE, OPENCODE } from './programs.ts'

describe('messages of any kind are translated into events, or reported, and leave the good ones between them', () => {
  it('by the source of Claude Code', () => {
    expectGood(CLAUDE, claudeSource, 150)
  })

  it('by the source of OpenCode', () => {
    expectGood(OPENCODE, opencodeSource, 150)
  })
})

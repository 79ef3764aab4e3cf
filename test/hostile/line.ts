import { CLAUDE, said as saidIn } from './programs.ts'

/** A line of Claude Code, and what the lines of one say. */
export const good: string = JSON.stringify({
  type: 'user',
  sessionId: 's',
  uuid: 'good',
  message: { role: 'user', content: 'good' },
})

export const said = (raw: string): readonly unknown[] => saidIn(CLAUDE, raw)

import { describe, expect, it } from 'vitest'
import { TranslationContext } from '../../../../src/reading/context.ts'
import { notesOf } from '../../../../src/reading/notes/notes.ts'
import { readLine } from '../../../../src/wires/claude/lines/read-lines.ts'
import { NOTES } from '../../../../src/wires/claude/notes.ts'
import { claudeSource, type Route, routeLine } from '../../../../src/wires/claude/source.ts'
import {
  assistantMessage,
  fromSubagent,
  init,
  type Message,
  modelLaunches,
  text,
  userMessage,
} from '../messages.ts'

const inline: Message = { type: 'user', message: { role: 'user', content: 'Do t1.' }, isSidechain: true }
const unlinked: Message = { ...inline, agentId: 'a1' }
const runningAgent: readonly Message[] = [init, modelLaunches('m1', 't1')]
const linkedAgent: readonly Message[] = [{ type: 'agent_meta', agentId: 'a1', meta: { toolUseId: 't1' } }]

/** Returns the route of a line that the source reads after earlier messages. */
function routeAfter(earlier: readonly Message[], line: Message): Route {
  const session = earlier.reduce(
    (before, message) => claudeSource.read(before, [message]).session,
    claudeSource.open(),
  )
  const notes = notesOf(NOTES, session.notes)
  const context = new TranslationContext({ state: session.state, notes })
  return routeLine(readLine(context, line), context)
}

describe('the route of a line', () => {
  it.each<[string, readonly Message[], Message]>([
    ['a line of main', [], userMessage('Go.')],
    ['a line of an unknown type', [], { type: 'tea_break' }],
    [
      'a subagent’s line that names its call',
      [],
      assistantMessage('s1', text('Hi.'), fromSubagent('t1', 'a1')),
    ],
    ['a line of a linked agent', linkedAgent, unlinked],
    ['an agent’s meta file', [], { type: 'agent_meta', agentId: 'a1', meta: {} }],
  ])('leads to its translation: %s', (_, earlier, line) => {
    expect(routeAfter(earlier, line)).toEqual({ to: 'translate' })
  })

  it.each<[string, string, readonly Message[], Message]>([
    ['inline', 'a subagent’s line inside the session’s file', runningAgent, inline],
    ['agent:a1', 'a line of an unlinked agent', [], unlinked],
  ])('leads to the buffer %s: %s', (group, _, earlier, line) => {
    expect(routeAfter(earlier, line)).toEqual({ to: 'buffer', group })
  })

  it.each<[string, string, readonly Message[], Message]>([
    [
      'repeated',
      'a line with a known uuid',
      [userMessage('Go.', { uuid: 'u1' })],
      userMessage('Go.', { uuid: 'u1' }),
    ],
    ['no-agent', 'a subagent’s line inside the session’s file, while no agent runs', [init], inline],
    ['not-conversation', 'another line of an unlinked agent', [], { ...unlinked, type: 'tools-used' }],
  ])('leads nowhere, for the reason %s: %s', (reason, _, earlier, line) => {
    expect(routeAfter(earlier, line)).toEqual({ to: 'ignore', reason })
  })

  it('is that of a new line while the line is buffered, because the source has not translated it', () => {
    const line = { ...unlinked, uuid: 'u1' }
    expect(routeAfter([line], line)).toEqual({ to: 'buffer', group: 'agent:a1' })
  })

  it('never confuses an agent’s id with the group of inline lines', () => {
    expect(routeAfter([], { ...unlinked, agentId: 'inline' })).toEqual({
      to: 'buffer',
      group: 'agent:inline',
    })
  })
})

import { describe, expect, it } from 'vitest'
import { parseTranscript, type SessionConversationState, sessionStatus } from '../../src/entries/index.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { messagesOf as reportMessages, textOf as reportText, said } from './reports.ts'

const textOf = (name: string, file: string) => reportText(`reopening/${name}/${file}`)
const messagesOf = (name: string) => reportMessages(`reopening/${name}/stream.ndjson`)

/** Reads messages into a new session, or one that goes on from a state alone. */
const read = (messages: readonly unknown[], from?: SessionConversationState) =>
  claudeSource.read(claudeSource.open(from), messages).session.state

const places = (messages: readonly unknown[]) => [...messages.keys()]

it('a session that failed stays so, whichever part of its stream comes again', () => {
  const messages = messagesOf('status-told-again-claude')
  const state = parseTranscript('claude-sdk', textOf('status-told-again-claude', 'stream.ndjson'))
  for (const from of places(messages)) {
    const { blocks, turn } = read(messages.slice(from), state)
    expect([blocks, turn], `from ${from}`).toEqual([state.blocks, state.turn])
  }
})

it('an interrupted turn that comes again adds no error and no text', () => {
  const messages = messagesOf('bogus-error')
  const state = parseTranscript('claude-sdk', textOf('bogus-error', 'session.jsonl'))
  for (const from of places(messages)) {
    const joined = read(messages.slice(from), state)
    expect([joined.blocks, sessionStatus(joined)], `from ${from}`).toEqual([state.blocks, 'finished'])
  }
})

it('an open text goes on, and has tokens of its own, from the end of the message before it', () => {
  const messages = messagesOf('frozen-text')
  const { blocks, usage } = read(messages)
  // From the start of the text on: a delta alone has no place.
  for (const cut of [15, 16, 17, 18])
    for (const from of [10, 11, 12, 13, 14, cut])
      expect(
        read(messages.slice(from), read(messages.slice(0, cut))),
        `cut ${cut}, from ${from}`,
      ).toMatchObject({
        blocks,
        usage,
      })
})

it('the output of an agent is that of its last run, wherever its runs come again', () => {
  const messages = messagesOf('second-output-told-again')
  for (const cut of places(messages))
    for (const from of places(messages).slice(0, cut + 1)) {
      const [agent] = read(messages.slice(from), read(messages.slice(0, cut))).subagents
      expect([agent?.status, agent?.output], `cut ${cut}, from ${from}`).toEqual(['success', 'SHEEP-2'])
    }
})

describe.each([
  ['prompt-below-answer-1.0.128', ['> Who wrote it?', 'Fontane.', '> When?', 'In 1895.']],
  ['prompt-below-answer-resumed', ['> Who sang it?', 'Nobody.', '> Why not?', 'No singer.']],
])('prompts stand above their answers in %s', (name, words) => {
  const messages = messagesOf(name)

  it('from the start, and without the first lines', () => {
    for (const from of [0, 1, 2, 3, 4, 5]) expect(said(read(messages.slice(from)))).toEqual(words)
  })

  it('for a client that opens the state at any line', () => {
    for (const cut of places(messages)) {
      const state = read(messages.slice(0, cut))
      for (const from of [0, 1, cut].filter((first) => first <= cut))
        expect(said(read(messages.slice(from), state)), `cut ${cut}, from ${from}`).toEqual(words)
    }
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  branches,
  type ConversationBlock,
  readTranscript,
  type SessionConversationState,
  sessionStatus,
} from '../../src/index.ts'
import { listSessions } from '../../src/node/index.ts'
import { foldSessionEvents } from '../../src/reducer/reduce.ts'
import { createInitialConversationState } from '../../src/state/session.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/claude-code')

function read(name: string, file = 'session.jsonl') {
  const { events, issues, ending } = readTranscript(readFileSync(join(FOLDER, name, file), 'utf8'))
  return { ...foldSessionEvents(createInitialConversationState(), events), issues, ending }
}

/** The words of main: prompts of the person with a mark before them, and texts of the model. */
function said({ blocks }: Pick<SessionConversationState, 'blocks'>): readonly string[] {
  return blocks.flatMap((block: ConversationBlock) => {
    if (block.type === 'user_message') return block.origin === undefined ? [`> ${String(block.content)}`] : []
    return block.type === 'assistant_text' ? [block.content] : []
  })
}

const abandoned = (state: SessionConversationState) => branches(state).map(said)

describe('main says', () => {
  it.each([
    ['rewind-new-root', ['> Sketch a logo in red.', 'A red sketch.']],
    ['rewind-over-compaction', ['> Good day.', 'Good day to you.', '> Paint it white.', 'It is white.']],
    ['prompt-taken-back', ['> Hello there.', 'Hello.', '> Show the table', 'Here it is.']],
    ['prompt-taken-back-interrupted', ['> Are you there?', 'Yes.', '> Send it to Ada', 'Sent to Ada.']],
    ['bash-input-is-no-rewind', ['> Tidy the imports.', 'They are tidy.']],
    [
      'queued-same-moment',
      [
        '> Begin.',
        'I begin.',
        '> Use spaces.',
        '> Mention the licence.',
        '> Add an index.',
        'Spaces, licence, index: done.',
      ],
    ],
    ['queue-reason', ['> Begin.', 'I begin.', '> Also the appendix.', 'The appendix too.']],
    ['hook-words', ['> Try the hooks.', 'Tried.']],
    ['fallback-block', ['> Read the note.', 'It is a receipt.']],
  ])('in %s', (name, words) => {
    const { state, issues } = read(name)
    expect(said(state)).toEqual(words)
    expect(sessionStatus(state)).toBe('finished')
    expect(issues).toEqual([])
  })
})

describe('an abandoned branch says', () => {
  it.each([
    [
      'rewind-new-root',
      [['> Sketch a logo in blue.', 'A blue sketch.', '> Add a frame.', 'The frame is there.']],
    ],
    ['rewind-over-compaction', [['> Paint it green.', 'It is green.', '> A darker green.', 'Darker now.']]],
    ['prompt-taken-back', [['> Drop the wrong tabel']]],
    ['prompt-taken-back-interrupted', [['> Send it to eveyone']]],
    ['bash-input-is-no-rewind', []],
  ])('in %s', (name, words) => {
    expect(abandoned(read(name).state)).toEqual(words)
  })
})

it('an agent has the tokens that the result of its call states', () => {
  const [agent] = read('subagent-tokens', 'stream.ndjson').state.subagents
  expect(agent?.usage).toMatchObject([{ final: true, inputTokens: 40, outputTokens: 33 }])
})

it('a session is finished with the last result, and not when the last agent ends', () => {
  const lines = readFileSync(join(FOLDER, 'finished-too-early/stream.ndjson'), 'utf8').trim().split('\n')
  let session = claudeSource.open()
  const statuses = lines.map((line) => {
    session = claudeSource.read(session, [JSON.parse(line)]).session
    return sessionStatus(session.state)
  })
  expect(statuses.indexOf('finished')).toBe(lines.length - 1)
})

it('a session whose last line is a success is finished, and its agent has no end', () => {
  const { state, ending, issues } = read('success-is-finished', 'stream.ndjson')
  expect([ending, sessionStatus(state), state.subagents[0]?.status]).toEqual([
    'finished',
    'finished',
    'error',
  ])
  expect(issues).toMatchObject([{ code: 'unfinished-subagent' }])
})

it('the journal of a workflow is no session', async () => {
  const found = []
  for await (const { id } of listSessions({ roots: [join(FOLDER, 'journal-is-no-session/files')] }))
    found.push(id)
  expect(found).toEqual(['5b0c1d2e-0003-4a00-8000-00000000c0de'])
})

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { branches, type SessionConversationState, sessionStatus } from '../../src/entries/index.ts'
import { listSessions, readSession } from '../../src/entries/node.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { fold, linesOf, REPORTS, said, textOf } from './reports.ts'

const FOLDER = join(REPORTS, 'claude-code')
const read = (name: string, file = 'session.jsonl') => fold(textOf(`claude-code/${name}/${file}`))

const abandoned = (state: SessionConversationState) => branches(state).map(said)

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
])('main says in %s', (name, words) => {
  const { state, issues } = read(name)
  expect(said(state)).toEqual(words)
  expect(sessionStatus(state)).toBe('finished')
  expect(issues).toEqual([])
})

it.each([
  [
    'rewind-new-root',
    [['> Sketch a logo in blue.', 'A blue sketch.', '> Add a frame.', 'The frame is there.']],
  ],
  ['rewind-over-compaction', [['> Paint it green.', 'It is green.', '> A darker green.', 'Darker now.']]],
  ['prompt-taken-back', [['> Drop the wrong tabel']]],
  ['prompt-taken-back-interrupted', [['> Send it to eveyone']]],
  ['bash-input-is-no-rewind', []],
])('an abandoned branch says in %s', (name, words) => {
  expect(abandoned(read(name).state)).toEqual(words)
})

it('an agent has the tokens that the result of its call states', () => {
  const [agent] = read('subagent-tokens', 'stream.ndjson').state.subagents
  expect(agent?.usage).toMatchObject([{ final: true, inputTokens: 40, outputTokens: 33 }])
})

it('a session is finished with the last result, and not when the last agent ends', () => {
  const lines = linesOf('claude-code/finished-too-early/stream.ndjson')
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

/** The agents of a session: their parent, end and texts. */
const agentsOf = ({ subagents }: SessionConversationState) =>
  subagents.map(({ toolUseId, name, phase, parentConversationId, status, blocks }) => ({
    id: name === 'general-purpose' ? toolUseId : name,
    ...(phase !== undefined && { phase }),
    parent: parentConversationId,
    status,
    texts: said({ blocks }),
  }))

/** The id of the session in each report with files. */
const SESSION = '5b0c1d2e-0001-4a00-8000-00000000c0de'
const FORK = '5b0c1d2e-00ff-4a00-8000-00000000c0de'

it.each([
  [
    'workflow-stored',
    SESSION,
    [
      {
        id: 'taste:salt',
        phase: 'Taste',
        parent: 'main',
        status: 'success',
        texts: ['> Taste for salt.', 'It needs salt.'],
      },
      {
        id: 'check:salt',
        phase: 'Check',
        parent: 'main',
        status: 'success',
        texts: ['> Check the salt.', 'True, it needs salt.'],
      },
    ],
  ],
  [
    'teammate-file',
    SESSION,
    [
      {
        id: 'toolu_team1',
        parent: 'main',
        status: 'success',
        texts: ['> Clean the windows.', 'I take a cloth.', 'All windows are clean.'],
      },
    ],
  ],
  [
    'teammate-idle',
    SESSION,
    [
      {
        id: 'toolu_team1',
        parent: 'main',
        status: 'success',
        texts: ['> Weigh the box.', 'The scale is on.', 'Four kilos.'],
      },
    ],
  ],
  [
    'fork-agents',
    FORK,
    [
      {
        id: 'toolu_f1',
        parent: 'main',
        status: 'success',
        texts: ['> Look at the garden.', 'I look closely.', 'Two roses.'],
      },
    ],
  ],
])('the agents stand below main in %s', async (name, id, agents) => {
  const { state, issues } = await readSession(join(FOLDER, name, `files/${id}.jsonl`))
  expect(agentsOf(state)).toEqual(agents)
  expect(sessionStatus(state)).toBe('finished')
  expect(issues).toEqual([])
})

it('a fork and its session have the agents of their own calls alone', async () => {
  const { state } = await readSession(join(FOLDER, `fork-agents/files/${SESSION}.jsonl`))
  expect(agentsOf(state).map(({ id }) => id)).toEqual(['toolu_f1'])
})

it('the progress of a workflow shows its agents, and the session goes on until the result', () => {
  const lines = linesOf('claude-code/workflow-live/stream.ndjson')
  let session = claudeSource.open()
  const statuses = lines.map((line) => {
    session = claudeSource.read(session, [JSON.parse(line)]).session
    return sessionStatus(session.state)
  })
  expect(agentsOf(session.state)).toEqual([
    { id: 'weigh:pears', phase: 'Weigh', parent: 'main', status: 'success', texts: [] },
    { id: 'note:pears', phase: 'Note', parent: 'main', status: 'success', texts: [] },
  ])
  expect(statuses.indexOf('finished')).toBe(lines.length - 1)
})

import { expect, it } from 'vitest'
import { foldSessionEvents } from '../../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../../src/core/state/session.ts'
import { todosOf } from '../../../src/programs/continue/program.ts'
import { readValue } from '../../../src/wires/continue/read.ts'
import { detectArchitecture } from '../../../src/wires/detect.ts'
import { parseTranscript, readTranscript } from '../../../src/wires/transcript.ts'

const item = (role: string, content: unknown, more = {}, message = {}) => ({
  message: { role, content, ...message },
  contextItems: [],
  ...more,
})
const session = (history: readonly unknown[], more = {}) => ({
  sessionId: 's1',
  title: 'Go',
  workspaceDirectory: '/srv/demo',
  history,
  ...more,
})
const stateOf = (history: readonly unknown[], more = {}) =>
  parseTranscript(JSON.stringify(session(history, more), null, 2))
const call = (toolCallId: string, name: string, input: object, status: string, output?: string) => ({
  toolCallId,
  toolCall: { id: toolCallId, type: 'function', function: { name, arguments: JSON.stringify(input) } },
  status,
  parsedArgs: input,
  ...(output !== undefined && { output: [{ content: output, name: 'Tool Result', description: '' }] }),
})
const shownIn = ({ blocks }: ReturnType<typeof stateOf>) =>
  blocks.map((block) => [
    block.type,
    'content' in block ? block.content : 'message' in block ? block.message : undefined,
    'origin' in block ? block.origin : undefined,
  ])

it('is known by its file, on one line and on many', () => {
  expect(detectArchitecture(JSON.stringify(session([])))).toBe('continue')
  expect(detectArchitecture(JSON.stringify(session([]), null, 2))).toBe('continue')
  expect(detectArchitecture(JSON.stringify({ ...session([]), history: [{ role: 'user' }] }))).toBeUndefined()
})

it('reads the answers of the command line, which are all that it prints', () => {
  const note = 'Response was not valid JSON, so it was wrapped in a JSON object'
  const lines = ['First.', 'Second.'].map((response) => JSON.stringify({ response, status: 'success', note }))
  const state = parseTranscript(lines.join('\n'))
  expect(shownIn(state).map(([, content]) => content)).toEqual(['First.', 'Second.'])
  expect(state.turn.status).toBe('finished')
  expect(state.session.program).toBe('continue')
})

it('takes no word of the program for one of the person', () => {
  const state = stateOf([
    item('assistant', 'All of it.', { conversationSummary: 'All of it.' }),
    item('user', 'continue'),
    item('assistant', 'Done.'),
    item('user', 'continue'),
  ])
  expect(shownIn(state)).toEqual([
    ['system', 'Conversation compacted', undefined],
    ['user_message', 'All of it.', 'summary'],
    ['user_message', 'continue', 'meta'],
    ['assistant_text', 'Done.', undefined],
    ['user_message', 'continue', undefined],
  ])
})

it('reads an agent from its call, and the report of its result', () => {
  const input = { description: 'Look', prompt: 'Read the notes.', subagent_name: 'helper' }
  const report = 'Two lines.\n<task_metadata>\nstatus: completed\n</task_metadata>'
  const state = stateOf([
    item('user', 'Go.'),
    item('assistant', 'I ask.', { toolCallStates: [call('c1', 'Subagent', input, 'done', report)] }),
  ])
  expect(state.subagents).toMatchObject([
    { toolUseId: 'c1', name: 'helper', prompt: 'Read the notes.', status: 'success', output: 'Two lines.' },
  ])
})

it('reads what the extensions write: thinking, results in messages, addresses of folders, and ids', () => {
  const state = stateOf(
    [
      item('user', [
        { type: 'text', text: 'Look.' },
        { type: 'imageUrl', imageUrl: { url: 'data:image/png;base64,AA==' } },
      ]),
      item('thinking', 'A look first.'),
      item(
        'assistant',
        'I look.',
        {
          reasoning: { active: false, text: 'Hm.', startAt: 1 },
          toolCallState: call('c1', 'read_file', { filepath: 'a.md' }, 'done'),
        },
        { id: 'm3' },
      ),
      item('tool', 'One line.', {}, { toolCallId: 'c1' }),
      item('assistant', 'One line.'),
    ],
    { workspaceDirectory: 'file:///c%3A/demo', chatModelTitle: 'M 1' },
  )
  expect(state.session).toMatchObject({ cwd: 'c:/demo', model: 'M 1' })
  expect(state.blocks.map(({ type }) => type).join(' ')).toBe(
    'user_message thinking thinking assistant_text tool_use tool_result assistant_text',
  )
  expect(state.blocks[3]?.id).toBe('m3:1')
  expect(state.blocks[5]).toMatchObject({ output: 'One line.', isError: false })
})

it.each([
  ['generated', 'pending'],
  ['calling', 'pending'],
  ['done', 'complete'],
  ['errored', 'error'],
  ['canceled', 'error'],
])('shows a call that is %s', (status, shown) => {
  const states = [call('c1', 'Bash', { command: 'ls' }, status, 'words')]
  const { blocks } = stateOf([
    item('user', 'Go.'),
    item('assistant', '', { toolCallStates: states }),
    item('assistant', ''),
  ])
  const found = blocks.find(({ type }) => type === 'tool_use')
  const result = blocks.find(({ type }) => type === 'tool_result')
  // The end of the input ends an open call.
  expect([found?.status, result?.status]).toEqual(
    shown === 'pending' ? ['complete', undefined] : [shown, shown],
  )
})

it('counts tokens that a provider states apart from those of the cache', () => {
  const usage = (details: object) => ({
    prompt_tokens: 100,
    completion_tokens: 5,
    prompt_tokens_details: details,
  })
  const state = stateOf([
    item('assistant', 'A.', {}, { usage: usage({ cached_tokens: 40 }) }),
    item(
      'assistant',
      'B.',
      {},
      { usage: usage({ cached_tokens: 40, cache_read_tokens: 40, cache_write_tokens: 7 }) },
    ),
  ])
  expect(
    state.usage.map(({ inputTokens, cacheReadTokens, cacheWriteTokens }) => [
      inputTokens,
      cacheReadTokens,
      cacheWriteTokens,
    ]),
  ).toEqual([
    [60, 40, undefined],
    [100, 40, 7],
  ])
})

it('has the exit code of a command, the plan, and the changes of a result', () => {
  const checklist = '- [x] One\n- [ ] Two'
  const edits = [{ old_string: 'a', new_string: 'b' }]
  const diff = 'Index: /srv/x\n===\n--- /srv/x\n+++ /srv/x\n@@ -7,1 +7,1 @@\n-a\n+b\n'
  const state = stateOf([
    item('assistant', '', {
      toolCallStates: [
        call(
          'c1',
          'Bash',
          { command: 'ls' },
          'errored',
          'Error executing tool Bash: Error (exit code 2): no',
        ),
        call('c2', 'Checklist', { checklist }, 'done', `Task list status:\n${checklist}`),
        call(
          'c3',
          'MultiEdit',
          { file_path: '/srv/x', edits },
          'done',
          `Successfully edited\nDiff:\n${diff}`,
        ),
        call(
          'c4',
          'Write',
          { filepath: '/srv/y', content: 'one\n' },
          'done',
          'Successfully created file: /srv/y',
        ),
      ],
    }),
  ])
  const results = state.blocks.flatMap((block) => (block.type === 'tool_result' ? [block] : []))
  expect(results[0]).toMatchObject({ exitCode: 2, isError: true })
  expect(state.todos).toEqual([
    { text: 'One', status: 'completed' },
    { text: 'Two', status: 'pending' },
  ])
  expect(results[2]?.changes).toMatchObject([{ path: '/srv/x', kind: 'edit', hunks: [{ oldStart: 7 }] }])
  expect(results[3]?.changes).toMatchObject([{ path: '/srv/y', kind: 'add', added: 1 }])
})

it('shows a failure that is all of its output', () => {
  const state = parseTranscript('continue', JSON.stringify({ status: 'error', message: 'No model.' }))
  expect(state.blocks).toMatchObject([{ type: 'error', message: 'No model.' }])
  expect(state.turn).toMatchObject({ status: 'failed', error: 'No model.' })
})

it('shows a failure behind an answer, once', () => {
  const answer = JSON.stringify({ response: 'Done.', status: 'success' })
  const failure = JSON.stringify({ status: 'error', message: 'No model.' })
  const state = parseTranscript('continue', [answer, failure, answer, failure].join('\n'))
  expect(state.blocks.map(({ type }) => type)).toEqual(['assistant_text', 'error'])
  expect(state.turn.status).toBe('failed')
})

it('reads a damaged session as far as it goes', () => {
  const {
    title: _,
    workspaceDirectory: __,
    ...rest
  } = session([item('user', 'Go.'), null, item('assistant', 'A.')])
  const { events, issues } = readTranscript('continue', JSON.stringify(rest))
  expect(issues.map(({ code }) => code)).toEqual(['unknown-block'])
  expect(
    shownIn(foldSessionEvents(createInitialConversationState(), events).state).map(([, content]) => content),
  ).toEqual(['Go.', 'A.'])
})

it('counts the tokens of an empty reply', () => {
  const usage = { prompt_tokens: 100, completion_tokens: 1 }
  const state = stateOf([item('user', 'Go.'), item('assistant', '', {}, { usage })])
  expect(state.usage).toMatchObject([{ inputTokens: 100, outputTokens: 1 }])
  expect(state.turn.status).toBe('finished')
})

it('reads each entry of a plan on its own line', () => {
  expect(todosOf('Checklist', { checklist: '- [ ]\n- [x] a\r\n\t* [ ]  b ' })).toEqual([
    { text: 'a', status: 'completed' },
    { text: 'b', status: 'pending' },
  ])
})

it('asks each message of a long session a few times alone which call it is about', () => {
  let asked = 0
  const calls = Array.from({ length: 200 }, (_, at) => `c${at}`)
  const results = calls.map((id) => ({
    message: {
      role: 'tool',
      content: 'Done.',
      get toolCallId() {
        asked += 1
        return id
      },
    },
  }))
  const replies = calls.map((id) => item('assistant', '', { toolCallStates: [call(id, 'Bash', {}, 'done')] }))
  const steps = readValue(session([...replies, ...results])) ?? []
  expect(steps.filter(({ type }) => type === 'result')).toHaveLength(200)
  expect(asked).toBeLessThanOrEqual(400)
})

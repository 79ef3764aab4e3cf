import type { BlockOf, FileChange, SessionEvent, Todo } from 'agentfold'
import type { IncomingBlock } from 'agentfold/source-kit'
import type { RequestBlock } from '../../src/core/state/block.ts'
import { finishedText } from './events.ts'

/** A title that is no text would run a script. */
export const EVIL = 'Bash: <img src=x onerror="document.title=1">'

function upsert(block: IncomingBlock, conversationId = 'main'): SessionEvent {
  return { type: 'block:upsert', conversationId, block }
}

export function request(
  id: string,
  fields: Partial<Omit<RequestBlock, 'type' | 'conversationId'>> = {},
  conversationId = 'main',
): SessionEvent {
  const block = {
    type: 'request',
    kind: 'permission',
    title: EVIL,
    status: 'pending',
    ...fields,
    id,
  } as const
  return upsert(block, conversationId)
}

export function plan(todos: readonly Todo[], conversationId = 'main'): SessionEvent {
  return { type: 'todos:updated', conversationId, todos }
}

/** A call of Bash that waits, unless the fields say something else. */
export function call(
  toolUseId: string,
  fields: Partial<Omit<BlockOf<'tool_use'>, 'type' | 'id' | 'conversationId' | 'toolUseId'>> = {},
): SessionEvent {
  const input = { command: 'npm test' }
  const block = { type: 'tool_use', toolName: 'Bash', input, status: 'pending', ...fields } as const
  return upsert({ ...block, id: toolUseId, toolUseId })
}

function result(toolUseId: string, changes: readonly FileChange[]): SessionEvent {
  const block = { type: 'tool_result', output: 'Done.', isError: false, status: 'complete' } as const
  return upsert({ ...block, id: `${toolUseId}:result`, toolUseId, changes })
}

const CHANGE: FileChange = {
  path: 'src/add.js',
  kind: 'edit',
  added: 2,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 4,
      lines: [
        ' export function add(left, right) {',
        '-  return left - right',
        '+  const sum = left + right',
        '+  return sum',
        ' }',
      ],
    },
  ],
}

const QUESTION: Partial<RequestBlock> = {
  kind: 'question',
  title: 'Which format?',
  questions: [
    {
      text: 'Which format?',
      options: [
        { id: 'JSON', label: 'JSON', description: 'One object per line' },
        { id: 'CSV', label: 'CSV', description: 'For spreadsheets' },
      ],
    },
    { text: 'Which folder?', options: [{ id: 'out', label: 'out' }] },
  ],
  answer: [['JSON'], ['My own words']],
  status: 'complete',
}

const OPTIONS: RequestBlock['options'] = [
  { id: 'allow', label: 'Allow' },
  { id: 'always', label: 'Allow always', description: 'Adds a rule for npm' },
  { id: 'deny', label: 'Deny' },
]

/** A session that uses every kind of content about decisions, plans, files and cost. A call still streams, and two requests wait. */
export const events: readonly SessionEvent[] = [
  {
    type: 'session:updated',
    facts: { program: 'claude-code', version: '2.1.330', model: 'claude-opus-5-5', cwd: '/srv/demo' },
  },
  { type: 'session:updated', facts: { costUsd: 0.0801 } },
  upsert({
    ...{ type: 'user_message', id: 'u', status: 'complete', content: 'Mend the sum.' },
    changes: [{ path: 'dist/add.js', kind: 'add', added: 12, removed: 0 }],
  }),
  finishedText('wrong', 'I delete the file.'),
  upsert({
    type: 'system',
    id: 'rewind',
    status: 'complete',
    subtype: 'rewind',
    message: 'The person went back.',
  }),
  { type: 'branch:abandoned', branchId: 'rewind', blockIds: ['wrong'] },
  plan([
    { text: 'Read the code', status: 'completed' },
    { text: 'Mend the sum in every place where it is wrong', status: 'in_progress' },
    { text: 'Run the tests', status: 'pending' },
    { text: 'Write a page', status: 'cancelled' },
  ]),
  request('q', QUESTION),
  request('n', {
    ...{ kind: 'question', title: 'Go on?', status: 'complete', denied: true, answer: 'deny' },
    questions: [{ text: 'Go on?', options: [{ id: 'Yes', label: 'Yes' }] }],
  }),
  request('d', {
    title: 'Bash: rm add.js',
    options: OPTIONS,
    denied: true,
    status: 'complete',
    answer: 'deny',
    comment: 'Keep it.',
  }),
  call('edit', { toolName: 'Edit', input: { file_path: 'src/add.js' }, status: 'complete' }),
  result('edit', [CHANGE]),
  {
    type: 'usage:reported',
    messageId: 'm',
    usage: { inputTokens: 1200, cacheReadTokens: 30_000, outputTokens: 4 },
    final: true,
  },
  {
    type: 'subagent:spawned',
    toolUseId: 'S',
    prompt: 'Look.',
    description: 'Review',
    conversationId: 'main',
  },
  plan([{ text: 'Look at the tests', status: 'in_progress' }], 'S'),
  request('s', { title: 'Read: /etc/hosts' }, 'S'),
  call('test'),
  request('p', { toolUseId: 'test', options: OPTIONS }),
  call('write', { toolName: 'Write', input: {}, inputText: '{"file_path":"notes.md","content":"# No' }),
]

import {
  createInitialConversationState,
  type FileChange,
  foldSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'

/** Texts that run a script in a page that shows them as HTML. */
const ATTACKS = [
  '<img src=x onerror="window.__ran=1">',
  '<script>window.__ran=1</script>',
  '</script><script>window.__ran=1</script>',
  '<!--<script>',
  '<svg onload="window.__ran=1">',
  '[link](javascript:window.__ran=1)',
  '[link](data:text/html,<script>window.__ran=1</script>)',
  '![image](https://evil.example/pixel.png)',
  '<iframe srcdoc="<script>parent.__ran=1</script>"></iframe>',
  '<style>*{background:url(https://evil.example/a)}</style>',
  '\u001b]8;;javascript:window.__ran=1\u0007click\u001b]8;;\u0007\u001b[31m<b onclick="window.__ran=1">red</b>\u001b[0m',
  '\u2028\u2029{{window.__ran=1}}',
  '```"><img src=x onerror="window.__ran=1">\ncode\n```',
] as const

/** One text with all of them. */
export const ATTACK: string = ATTACKS.join('\n\n')

/** A session with the attack in every text. */
export function evilSession(): SessionConversationState {
  const { state } = foldSessionEvents(createInitialConversationState(), events)
  return state
}

const upsert = (block: Extract<SessionEvent, { type: 'block:upsert' }>['block']): SessionEvent => ({
  type: 'block:upsert',
  block,
})
const status = 'complete' as const
const change: FileChange = {
  path: ATTACK,
  from: ATTACK,
  kind: 'move',
  added: 1,
  removed: 0,
  hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: [`+${ATTACK}`] }],
}

const events: readonly SessionEvent[] = [
  {
    type: 'session:updated',
    facts: { id: ATTACK, model: ATTACK, cwd: ATTACK, program: ATTACK, version: ATTACK },
  },
  upsert({ type: 'user_message', id: 'u', status, content: ATTACK, changes: [change] }),
  upsert({
    ...{ type: 'user_message', id: 'parts', status },
    content: [
      { type: 'text', text: ATTACK },
      {
        type: 'image',
        source: { type: 'base64', mediaType: 'image/svg+xml', data: btoa('<svg onload="window.__ran=1"/>') },
      },
      { type: 'image', source: { type: 'url', url: 'https://evil.example/pixel.png' } },
      { type: 'file', name: ATTACK, source: { type: 'url', url: 'javascript:window.__ran=1' } },
    ],
  }),
  upsert({ type: 'assistant_text', id: ATTACK, status, content: ATTACK }),
  upsert({ type: 'thinking', id: 't', status, content: ATTACK }),
  upsert({ type: 'system', id: 's', status, subtype: ATTACK, message: ATTACK }),
  upsert({ type: 'error', id: 'e', status, message: ATTACK, code: ATTACK }),
  upsert({ type: 'skill_load', id: 'k', status, skillName: ATTACK, content: ATTACK }),
  ...['Bash', 'Read', 'Edit', 'Grep', 'WebFetch', `mcp__${ATTACK}__${ATTACK}`, ATTACK].flatMap(
    (toolName, at) => [
      upsert({
        ...{ type: 'tool_use', id: `c${at}`, toolUseId: `c${at}`, toolName, status },
        input: {
          [ATTACK]: ATTACK,
          command: ATTACK,
          file_path: `${ATTACK}.html`,
          content: ATTACK,
          url: ATTACK,
        },
      }),
      upsert({
        type: 'tool_result',
        id: `c${at}:result`,
        toolUseId: `c${at}`,
        status,
        output: ATTACK,
        isError: false,
      }),
    ],
  ),
  upsert({
    type: 'request',
    id: 'r',
    kind: 'permission',
    status: 'pending',
    title: ATTACK,
    options: [{ id: ATTACK, label: ATTACK, description: ATTACK }],
  }),
  {
    type: 'subagent:spawned',
    toolUseId: 'a',
    conversationId: 'main',
    subagentType: ATTACK,
    description: ATTACK,
    prompt: ATTACK,
  },
  { type: 'subagent:completed', toolUseId: 'a', status: 'completed', output: ATTACK },
  { type: 'todos:updated', todos: [{ text: ATTACK, status: 'in_progress' }] },
]

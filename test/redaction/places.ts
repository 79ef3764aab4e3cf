import type { SessionEvent } from '../../src/core/events/event.ts'
import type { UserMessageOrigin } from '../../src/core/state/block.ts'

/** A place of a session that shows a text. */
export interface Place {
  readonly name: string
  /** Returns the events that show the text there. The number keeps the ids of places apart. */
  readonly write: (text: string, number: number) => readonly SessionEvent[]
}

const message = (content: string, number: number, origin?: UserMessageOrigin): SessionEvent => ({
  type: 'block:upsert',
  block: { type: 'user_message', id: `m${number}`, status: 'complete', content, ...(origin && { origin }) },
})

const call = (input: unknown, output: unknown, number: number): readonly SessionEvent[] => [
  {
    type: 'block:upsert',
    block: {
      type: 'tool_use',
      id: `c${number}`,
      toolUseId: `t${number}`,
      toolName: 'tool',
      status: 'complete',
      input,
    },
  },
  {
    type: 'block:upsert',
    block: {
      type: 'tool_result',
      id: `r${number}`,
      toolUseId: `t${number}`,
      status: 'complete',
      output,
      isError: false,
    },
  },
]

const input =
  (make: (text: string) => unknown): Place['write'] =>
  (text, number) =>
    call(make(text), 'ok', number)
const output =
  (make: (text: string) => unknown): Place['write'] =>
  (text, number) =>
    call({ command: 'x' }, make(text), number)
const lines = (text: string, write: (line: string, at: number) => string) =>
  text.split('\n').map(write).join('\n')

/** Returns the words that a shell makes of a command. A text of several lines is the argument of a shell. */
function argumentsOf(text: string): readonly string[] {
  if (/[\n{|]|^-/.test(text)) return ['sh', '-c', text]
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

/** Returns a field with the name and the value of a pair, or else a field with the text. */
function fieldOf(text: string): unknown {
  const [, name, value] = /^([\w-]+)(?:=|: )([^\n"]+)$/.exec(text) ?? []
  return name === undefined ? { value: text } : { [name]: value }
}

/** Returns an object with the name and the value of a pair, or else with the text. */
function pairOf(text: string): unknown {
  const [, name, value] = /^([\w-]+)(?:=|: )([^\n"]+)$/.exec(text) ?? []
  return name === undefined ? { value: text } : { name, value }
}

const hunk = (text: string) => ({
  oldStart: 1,
  oldLines: 1,
  newStart: 1,
  newLines: text.split('\n').length,
  lines: ['-x', ...text.split('\n').map((line) => `+${line}`)],
})

export const PLACES: readonly Place[] = [
  { name: 'prompt', write: (text, number) => [message(`Look: ${text}`, number)] },
  { name: 'note of the program', write: (text, number) => [message(`<note>${text}</note>`, number, 'meta')] },
  {
    name: 'answer',
    write: (text, number) => [
      {
        type: 'block:upsert',
        block: {
          type: 'assistant_text',
          id: `a${number}`,
          status: 'complete',
          content: `It is \`${text}\` there.`,
        },
      },
    ],
  },
  {
    name: 'answer that streams',
    write: (text, number) => [
      {
        type: 'block:upsert',
        block: { type: 'assistant_text', id: `s${number}`, status: 'pending', content: 'See:\n\n' },
      },
      ...[...`    ${text}\n\n`.matchAll(/[\s\S]{1,7}/g)].map(
        ([delta]): SessionEvent => ({ type: 'block:delta', blockId: `s${number}`, delta }),
      ),
    ],
  },
  { name: 'command', write: input((text) => ({ command: `echo start\n${text}` })) },
  { name: 'list of arguments', write: input((text) => ({ command: argumentsOf(text) })) },
  { name: 'field of an input', write: input((text) => ({ note: `see ${text}` })) },
  { name: 'field with its name', write: input((text) => ({ env: fieldOf(text) })) },
  { name: 'name and value', write: input((text) => ({ env: [pairOf(text)] })) },
  { name: 'output', write: output((text) => `HOME=/x\n${text}\nEND=1`) },
  { name: 'parts of an output', write: output((text) => [{ type: 'text', text }]) },
  {
    name: 'output with numbers of lines',
    write: output((text) => lines(text, (line, at) => `${String(at + 1).padStart(6)}→${line}`)),
  },
  {
    name: 'output of cat -n',
    write: output((text) => lines(text, (line, at) => `${String(at + 1).padStart(6)}\t${line}`)),
  },
  { name: 'output of grep -n', write: output((text) => lines(text, (line, at) => `${at + 1}:${line}`)) },
  {
    name: 'output of git diff',
    write: output((text) => `@@ -1 +1 @@\n-x\n${lines(text, (line) => `+${line}`)}`),
  },
  { name: 'JSON in JSON', write: output((text) => JSON.stringify({ a: JSON.stringify({ b: text }) })) },
  {
    name: 'output with colours',
    write: output((text) => `\u001b[31m${text.slice(0, 3)}\u001b[0m\u001b[32m${text.slice(3)}\u001b[0m`),
  },
  {
    name: 'diff',
    write: (text, number) => {
      const [tool, result] = call({ file_path: '/srv/demo/a' }, 'ok', number)
      if (tool === undefined || result?.type !== 'block:upsert' || result.block.type !== 'tool_result')
        return []
      const changes = [
        { path: '/srv/demo/a', kind: 'edit' as const, added: 1, removed: 1, hunks: [hunk(text)] },
      ]
      return [tool, { ...result, block: { ...result.block, changes } }]
    },
  },
  {
    name: 'quotation',
    write: (text, number) => [
      message(
        lines(text, (line) => `> ${line}`),
        number,
      ),
    ],
  },
  {
    name: 'error',
    write: (text, number) => [
      {
        type: 'block:upsert',
        block: { type: 'error', id: `e${number}`, status: 'complete', message: `failed: ${text}` },
      },
    ],
  },
  {
    name: 'prompt of an agent',
    write: (text, number) => [
      { type: 'subagent:spawned', toolUseId: `g${number}`, prompt: `Do it with ${text}`, description: 'x' },
      { type: 'subagent:completed', toolUseId: `g${number}`, status: 'completed', output: `Done: ${text}` },
    ],
  },
]

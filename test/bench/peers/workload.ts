/** Text of the model, as it streams in; or a call of a tool, its input and its result each in one piece. */
export type Item =
  | { readonly type: 'text'; readonly id: string; readonly deltas: readonly string[] }
  | { readonly type: 'call'; readonly id: string; readonly textId: string; readonly path: string }

/** What every candidate is given in its own format: the items it begins with, and those that stream in. */
export interface Workload {
  readonly size: number
  readonly earlier: readonly Item[]
  readonly streamed: readonly Item[]
  /** How many of what the times are told of are streamed: deltas or turns. */
  readonly units: number
}

/** The one tool that is called. */
export const TOOL = 'Read'

/** How many deltas the measured text has. */
export const DELTAS = 64

const DELTAS_OF_TURN = 8
const WORDS = ['the', 'reducer', 'keeps', 'every', 'block', 'of', 'a', 'session', 'and', 'loses', 'none.']

/** One more text, after so many that are whole. */
export function textAfter(size: number): Workload {
  const earlier = Array.from({ length: size }, (_, at) => text(`text${at}`, WORDS.length))
  return { size, earlier, streamed: [text(`text${size}`, DELTAS)], units: DELTAS }
}

/** So many turns from the first on, each a text and a call with its result. */
export function turns(size: number): Workload {
  const streamed = Array.from({ length: size }, (_, at): readonly Item[] => [
    text(`text${at}`, DELTAS_OF_TURN),
    { type: 'call', id: `call${at}`, textId: `text${at}`, path: `src/file${at}.ts` },
  ])
  return { size, earlier: [], streamed: streamed.flat(), units: size }
}

function text(id: string, deltas: number): Item {
  return { type: 'text', id, deltas: Array.from({ length: deltas }, (_, at) => `${wordAt(at)} `) }
}

function wordAt(at: number): string {
  return WORDS[at % WORDS.length] ?? ''
}

/** The whole text of an item, or what its call answers. */
export function contentOf(item: Item): string {
  return item.type === 'text' ? item.deltas.join('') : `Content of ${item.path}.`
}

/** What a fold of the workload holds, in words that every format has: the texts and calls, in their order. */
export function expected({ earlier, streamed }: Workload): readonly string[] {
  return [...earlier, ...streamed].map((item) =>
    item.type === 'text' ? contentOf(item) : calledTool(TOOL, { path: item.path }, contentOf(item)),
  )
}

/** A call with its result in one line, so that formats that keep the two apart compare equal to those that do not. */
export function calledTool(name: string, input: unknown, output: unknown): string {
  return `${name} ${JSON.stringify(input)}: ${output}`
}

/** The parts of a line of Claude Code that the reader below looks at. */
interface Line {
  readonly type: string
  readonly uuid?: string
  readonly timestamp?: string
  readonly parent_tool_use_id?: string | null
  readonly message?: {
    readonly id: string
    readonly model?: string
    readonly content: string | readonly Part[]
    readonly usage?: Readonly<Record<string, unknown>>
  }
}

interface Part {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly text?: string
  readonly thinking?: string
  readonly tool_use_id?: string
  readonly content?: unknown
}

interface Block {
  readonly id: string
  readonly type: string
  status: 'pending' | 'complete'
  readonly content: unknown
  output: unknown
  readonly name: string | undefined
  readonly messageId: string | undefined
  readonly model: string | undefined
  readonly timestamp: string | undefined
}

/** The blocks by conversation, and the tokens by message. */
export interface ReadByHand {
  readonly conversations: ReadonlyMap<string, readonly Block[]>
  readonly usage: ReadonlyMap<string, object>
}

/**
 * Reads lines of Claude Code as a careful program does without a library. It keeps no line twice, blocks with ids, results in their calls, and
 * tokens by message. It has no other rule: no agents, turns, branches, partial messages or checks.
 */
export function readByHand(text: string): ReadByHand {
  const seen = new Set<string>()
  const conversations = new Map<string, Block[]>()
  const calls = new Map<string, Block>()
  const counts = new Map<string, number>()
  const usage = new Map<string, object>()
  for (const json of text.split('\n')) {
    const line = JSON.parse(json) as Line
    const { uuid, message, timestamp, parent_tool_use_id: conversation } = line
    if (!message || (uuid !== undefined && seen.has(uuid))) continue
    if (uuid !== undefined) seen.add(uuid)
    const { id: messageId, model } = message
    const blocks = blocksOf(conversations, conversation ?? 'main')
    if (message.usage) usage.set(messageId, { ...message.usage })
    for (const part of partsOf(message.content)) {
      const { type, name } = part
      if (type === 'tool_result') {
        complete(calls.get(part.tool_use_id ?? ''), part.content)
        continue
      }
      const count = counts.get(messageId) ?? 0
      counts.set(messageId, count + 1)
      const isCall = type === 'tool_use'
      const block: Block = {
        id: part.id ?? `${messageId}:${count}`,
        type,
        status: isCall ? 'pending' : 'complete',
        content: isCall ? part.input : (part.text ?? part.thinking),
        output: undefined,
        name,
        messageId,
        model,
        timestamp,
      }
      if (isCall) calls.set(block.id, block)
      blocks.push(block)
    }
  }
  return { conversations, usage }
}

function blocksOf(conversations: Map<string, Block[]>, id: string): Block[] {
  const known = conversations.get(id)
  if (known) return known
  const blocks: Block[] = []
  conversations.set(id, blocks)
  return blocks
}

function partsOf(content: string | readonly Part[]): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function complete(call: Block | undefined, output: unknown): void {
  if (!call) return
  call.status = 'complete'
  call.output = output
}

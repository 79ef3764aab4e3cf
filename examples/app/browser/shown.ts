import {
  type ConversationBlock,
  type FileChange,
  findConversation,
  partialInput,
  type RequestBlock,
  type SessionConversationState,
  type UserMessageBlock,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { outputParts } from '../page/tools/output.ts'

/** A block on a page, or the expected block. */
export interface Shown {
  readonly conversation: string
  readonly block: string
  readonly type: string
  readonly status: string
  readonly texts: readonly string[]
}

/** Returns the blocks on a page, sorted by id, because a page shows a result beside its call. */
export async function shownOn(page: Page): Promise<readonly Shown[]> {
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-block]')].map((element) => ({
      conversation: element.dataset.conversation ?? '',
      block: element.dataset.block ?? '',
      type: element.dataset.type ?? '',
      status: element.dataset.status ?? '',
      texts: [...element.querySelectorAll('[data-field]')]
        .filter((field) => field.closest('[data-block]') === element)
        .map((field) => field.textContent ?? ''),
    })),
  )
  return sorted(shown)
}

/** Returns the expected blocks for a state: those of main, and of each subagent with a block in main or below. */
export function shownOf(state: SessionConversationState): readonly Shown[] {
  const shown: Shown[] = []
  const conversations = ['main']
  for (const conversation of conversations)
    for (const block of findConversation(state, conversation)?.blocks ?? []) {
      const { id, type, status } = block
      shown.push({ conversation, block: id, type, status, texts: textsOf(block, state) })
      if (block.type === 'subagent') conversations.push(block.toolUseId)
    }
  return sorted(shown)
}

/** Returns the ids of a conversation's blocks in their order on a page, without results. */
export function orderOn(page: Page, conversation: string): Promise<readonly string[]> {
  return page.evaluate(
    (name) =>
      [...document.querySelectorAll<HTMLElement>('[data-block]')]
        .filter(({ dataset }) => dataset.conversation === name && dataset.type !== 'tool_result')
        .map(({ dataset }) => dataset.block ?? ''),
    conversation,
  )
}

function sorted(shown: readonly Shown[]): readonly Shown[] {
  const nameOf = ({ conversation, block }: Shown): string => JSON.stringify([conversation, block])
  return [...shown].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
}

function textsOf(block: ConversationBlock, state: SessionConversationState): readonly string[] {
  switch (block.type) {
    case 'user_message':
      return [...contentTexts(block), ...diffTexts(block.changes)]
    case 'assistant_text':
    case 'thinking':
    case 'skill_load':
      return [block.content]
    case 'system':
    case 'error':
      return [block.message]
    case 'tool_use':
      return Object.values(partialInput(block) ?? {}).map((value) =>
        typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      )
    case 'tool_result':
      return [
        ...outputParts(block.output).flatMap((part) => (part.type === 'text' ? part.text : [])),
        ...diffTexts(block.changes),
      ]
    case 'request':
      return requestTexts(block)
    case 'subagent': {
      const last = findConversation(state, block.toolUseId)?.blocks.at(-1)
      const isLastText = last?.type === 'assistant_text' && last.content === block.output
      return isLastText || !block.output ? [] : [block.output]
    }
  }
}

function contentTexts({ content }: UserMessageBlock): readonly string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? part.text : []))
}

function requestTexts({ title, questions = [], comment }: RequestBlock): readonly string[] {
  const texts = questions.map(({ text }) => text).filter((text) => text !== title)
  return [title, ...texts, ...(comment === undefined ? [] : [comment])]
}

function diffTexts(changes: readonly FileChange[] = []): readonly string[] {
  return changes.flatMap(({ hunks = [] }) => {
    const text = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines]
        .map((line) => `${line}\n`)
        .join(''),
    )
    return text.length === 0 ? [] : text.join('')
  })
}

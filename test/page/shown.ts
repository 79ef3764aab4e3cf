import { stripVTControlCharacters } from 'node:util'
import {
  type ConversationBlock,
  type FileChange,
  findConversation,
  partialInput,
  type SessionConversationState,
} from 'agentfold'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import type { Page } from 'playwright-core'
import { planInInput } from '../../src/core/selectors/todos.ts'
import type { RequestBlock, SubagentBlock, UserMessageBlock } from '../../src/core/state/block.ts'
import { outputParts } from '../../src/page/tools/output.ts'
import { toolKind } from '../../src/programs/tool-kind.ts'

/** A block on a page, or the expected block. */
export interface Shown {
  readonly conversation: string
  readonly block: string
  readonly type: string
  readonly status: string
  readonly texts: readonly string[]
}

/** Returns the blocks on a page with everything open, sorted by id, because a page shows a result beside its call. */
export async function shownOn(page: Page): Promise<readonly Shown[]> {
  const shown = await whileOpen(page, () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[data-block], [data-report]')].map((element) => ({
        conversation: element.dataset.conversation ?? element.dataset.report ?? '',
        block: element.dataset.block ?? 'report',
        type: element.dataset.type ?? 'report',
        status: element.dataset.status ?? '',
        texts: [...element.querySelectorAll('[data-field]')]
          .filter((field) => field.closest('[data-block], [data-report]') === element)
          .filter(() => element.dataset.kind !== 'edit')
          .map((field) => field.textContent ?? ''),
      })),
    ),
  )
  return sorted(shown.map((each) => ({ ...each, texts: words(each.texts) })))
}

/** A printed page has everything open, and rows that are out of view too. */
async function whileOpen<Result>(page: Page, look: () => Promise<Result>): Promise<Result> {
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  await drawn(page)
  const result = await look()
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await drawn(page)
  return result
}

/** Returns the letters and digits of the texts. Views add signs, or show them as styles. */
function words(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.replace(/[^\p{L}\p{N}]+/gu, '')).filter((text) => text !== '')
}

/** A page shows the words of a command without the tags that its program puts around them, and without colours. */
function withoutTags(text: string): string {
  return text.startsWith('<') ? stripVTControlCharacters(text.replace(/<[^>]*>/g, ' ')) : text
}

/** Returns the text of a Markdown text, as another library reads it. */
function markdownText(text: string): string {
  return micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:lt|gt|amp|quot);/g, ' ')
}

/** Returns the expected blocks for a state: those of main, and of each subagent with a block in main or below. */
export function shownOf(state: SessionConversationState): readonly Shown[] {
  const shown: Shown[] = []
  const conversations = ['main']
  for (const conversation of conversations)
    for (const block of findConversation(state, conversation)?.blocks ?? []) {
      const { id, type, status } = block
      shown.push({ conversation, block: id, type, status, texts: words(textsOf(block)) })
      if (block.type !== 'subagent') continue
      conversations.push(block.toolUseId)
      shown.push(...reportsOf(block, state))
    }
  return sorted(shown)
}

/** Returns the ids of a conversation's blocks in their order on a page, without results. A block of a call has the call's requests in it. */
export function orderOn(page: Page, conversation: string): Promise<readonly string[]> {
  return whileOpen(page, () =>
    page.evaluate(
      (name) =>
        [...document.querySelectorAll<HTMLElement>('[data-block]')]
          .filter((element) => !element.parentElement?.closest('[data-block]'))
          .filter(({ dataset }) => dataset.conversation === name && dataset.type !== 'tool_result')
          .map(({ dataset }) => dataset.block ?? ''),
      conversation,
    ),
  )
}

function sorted(shown: readonly Shown[]): readonly Shown[] {
  const nameOf = ({ conversation, block }: Shown): string => JSON.stringify([conversation, block])
  return [...shown].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
}

function textsOf(block: ConversationBlock): readonly string[] {
  switch (block.type) {
    case 'user_message':
      return [
        ...contentTexts(block).map((text) =>
          block.origin === 'command' && text.startsWith('<') ? withoutTags(text) : markdownText(text),
        ),
        ...diffTexts(block.changes),
      ]
    case 'assistant_text':
    case 'thinking':
    case 'skill_load':
      return [markdownText(block.content)]
    case 'system':
      return [withoutTags(block.message)]
    case 'error':
      return [block.message]
    case 'tool_use':
      // The diff shows the input of an edit.
      if (toolKind(block.toolName) === 'edit') return []
      return inputTexts(partialInput(block))
    case 'tool_result':
      if (block.changes) return diffTexts(block.changes)
      return outputParts(block.output).flatMap((part) => (part.type === 'text' ? part.text : []))
    case 'request':
      return requestTexts(block)
    case 'subagent':
      return []
  }
}

/** A plan is shown as a list of its entries. */
function inputTexts(input: unknown): readonly string[] {
  const plan = planInInput(input)
  const fields = Object.entries(input ?? {}).filter(([key]) => !plan || (key !== 'todos' && key !== 'plan'))
  const texts = fields.map(([, value]) =>
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  )
  return [...texts, ...(plan ?? []).map(({ text }) => text)]
}

/** The output of an agent, unless its last text is the same. */
function reportsOf({ toolUseId, output }: SubagentBlock, state: SessionConversationState): readonly Shown[] {
  const last = findConversation(state, toolUseId)?.blocks.at(-1)
  const isLastText = last?.type === 'assistant_text' && last.content === output
  if (isLastText || !output) return []
  const texts = words([markdownText(output)])
  return [{ conversation: toolUseId, block: 'report', type: 'report', status: '', texts }]
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
  return changes.flatMap(({ hunks = [] }) => hunks.flatMap(({ lines }) => lines))
}

/** Waits until the page has drawn its state. A browser draws a frame after the frame's callbacks. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
}

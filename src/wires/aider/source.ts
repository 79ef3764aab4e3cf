import { withChanges } from '../../core/json/fields.ts'
import { asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { absolutePath } from '../../core/state/file-change.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { aider } from '../../programs/aider/program.ts'
import { type Memory, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import type { Source } from '../../reading/source.ts'
import { reportUsage } from '../kit/blocks.ts'
import { showStep } from '../kit/steps/show-step.ts'
import { STEP_NOTES } from '../kit/steps/step.ts'
import { aiderRules } from './format.ts'
import { changesInReply, isCommand, type Line, readLine, readReport, textOf } from './line.ts'

const FIELDS = {
  ...STEP_NOTES,
  /** The number of prompts of the chat so far, and within the last one the numbers of replies, of their parts and of notes. */
  place: {
    fields: {
      turn: 'finite number',
      reply: 'finite number',
      part: 'finite number',
      note: 'finite number',
    },
  },
  /** The text or thinking that goes on with the next line, and how much of it has come. */
  open: { fields: { id: 'string', length: 'finite number' } },
  /** The last line was one of a prompt. The next one may go on with it. It holds the words so far. */
  prompt: 'string',
  /** The lines are those of another chat. */
  isElsewhere: 'boolean',
} as const

type AiderNotes = NotesOf<typeof FIELDS>
type AiderContext = TranslationContext<AiderNotes>

const NOTES: NotesDeclaration<AiderNotes> = /* @__PURE__ */ declareNotes(
  { source: 'aider', version: 1 },
  FIELDS,
)

/** Reads one chat of Aider, line by line. Another chat in the file is another session. */
export const aiderSource: Source = /* @__PURE__ */ defineSource({
  transcripts: aiderRules,
  notes: NOTES,
  begin: (session) => new TranslationContext<AiderNotes>(session),
  translate(message, context) {
    const read = context.read(message)
    const text = textOf(read)
    if (text !== undefined) translateLine(readLine(text), context)
    else if (isObject(read) && isFolder(read)) context.updateFacts({ cwd: asString(read.cwd) })
    else context.reportUnknown('unknown-message', isObject(read) ? typeName(read.type) : 'no object')
    context.nameSession({ program: aider.names[0] })
  },
  open,
  end: (context) => context.endInput(),
})

/** The folder of the file is that of the project. */
function isFolder({ type, cwd }: JsonObject): boolean {
  return type === 'aider_folder' && typeof cwd === 'string'
}

const START = { turn: 0, reply: 0, part: 0, note: 0 }

function placeOf(notes: AiderContext['notes']['values']): NonNullable<AiderNotes['place']> {
  return notes.place ?? START
}

function translateLine(line: Line, context: AiderContext): void {
  if (line.type === 'chat') return beginChat(line.id, context)
  if (context.notes.values.isElsewhere) return
  switch (line.type) {
    case 'text':
      return addText(line.text, context)
    case 'thought':
      return closeText(context)
    case 'prompt':
      return addPrompt(line.text, context)
    case 'thinking':
    case 'program':
      closeText(context)
      context.notes.remember({ prompt: undefined })
      return line.type === 'program' ? report(line.text, context) : openText('thinking', context)
  }
}

/** A reader may get the chat again from its beginning. */
function beginChat(id: string, context: AiderContext): void {
  context.addMissingFacts({ id })
  const isElsewhere = context.state.facts.id !== id
  if (isElsewhere) {
    context.reportUnknown('other-session', 'chat')
    closeText(context)
  }
  const none = { place: undefined, open: undefined, prompt: undefined }
  context.notes.remember({ ...none, isElsewhere: isElsewhere || undefined })
}

function addPrompt(text: string, context: AiderContext): void {
  closeText(context)
  const { prompt } = context.notes.values
  const place = placeOf(context.notes.values)
  const turn = prompt === undefined ? place.turn + 1 : place.turn
  const words = prompt === undefined ? text : `${prompt}\n${text}`
  const id = `prompt:${turn}`
  context.notes.remember({ place: prompt === undefined ? { ...START, turn } : place, prompt: words })
  const known = context.state.findBlock(MAIN, id)
  if (known?.type === 'user_message') {
    // A prompt comes line by line, and perhaps again.
    if (typeof known.content === 'string' && words.startsWith(known.content) && words !== known.content)
      context.upsert(MAIN, { ...known, content: words })
    return
  }
  const origin = isCommand(words) ? 'command' : undefined
  showStep(MAIN, { type: 'prompt', id, content: words, origin }, context)
}

function openText(type: 'assistant_text' | 'thinking', context: AiderContext): void {
  const place = placeOf(context.notes.values)
  const messageId = `reply:${place.turn}.${place.reply}`
  const id = `${messageId}:${place.part}`
  context.notes.remember({ open: { id, length: 0 }, place: { ...place, part: place.part + 1 } })
  if (context.state.findBlock(MAIN, id)) return
  const isStopped = context.state.turn.status === 'interrupted'
  if (!isStopped) context.turn.start()
  const { model } = context.state.facts
  const status = isStopped ? 'complete' : 'pending'
  context.upsert(MAIN, { type, id, status, content: '', messageId, model })
}

/** Adds a line to the text that is open. A line of the reply opens one, but nobody has said what comes before the first prompt. */
function addText(text: string, context: AiderContext): void {
  context.notes.remember({ prompt: undefined })
  if (!context.notes.values.open) {
    if (text === '' || placeOf(context.notes.values).turn === 0) return
    openText('assistant_text', context)
  }
  const { open } = context.notes.values
  const block = open && context.state.findBlock(MAIN, open.id)
  if (!open || (block?.type !== 'assistant_text' && block?.type !== 'thinking')) return
  const isFirst = open.length === 0
  if (isFirst && text === '') return
  const delta = isFirst ? text : `\n${text}`
  context.notes.remember({ open: { ...open, length: open.length + delta.length } })
  if (block.content.length > open.length) return
  if (block.status === 'pending')
    context.emit({ type: 'block:delta', conversationId: MAIN, blockId: block.id, delta })
  else if (context.state.turn.status === 'interrupted')
    context.upsert(MAIN, { ...block, content: block.content + delta })
}

/** Ends the text that is open. An answer ends the turn with the next prompt, if no line with its tokens does so before. */
function closeText(context: AiderContext): void {
  const { open } = context.notes.values
  const block = open && context.state.findBlock(MAIN, open.id)
  context.notes.remember({ open: undefined })
  if (block?.type !== 'assistant_text' && block?.type !== 'thinking') return
  const content = block.content.trimEnd()
  if (content === '') return context.emit({ type: 'block:removed', conversationId: MAIN, blockId: block.id })
  if (block.status === 'pending' || content !== block.content)
    context.upsert(MAIN, { ...block, status: 'complete', content })
  if (block.type === 'assistant_text' && block.status === 'pending')
    context.turn.answer({ outcome: 'finished' })
}

function report(text: string, context: AiderContext): void {
  const said = readReport(text)
  switch (said.type) {
    case 'tokens': {
      const place = placeOf(context.notes.values)
      const messageId = `reply:${place.turn}.${place.reply}`
      context.notes.remember({ place: { ...place, reply: place.reply + 1, part: 0 } })
      if (context.state.usageOf(MAIN, messageId)) return
      const { model } = context.state.facts
      reportUsage(MAIN, { messageId, usage: said.usage, model }, context)
      if (said.costUsd !== undefined) context.updateFacts({ costUsd: said.costUsd })
      if (context.state.turn.status === 'running') context.turn.answer({ outcome: 'finished' })
      return context.turn.settle()
    }
    case 'model':
      return context.updateFacts({ model: said.model })
    case 'edit':
      return showEdit(said.path, text, context)
    case 'failed':
    case 'interrupted': {
      const id = noteId(context.notes)
      const { type: outcome } = said
      // The program may be interrupted while it waits for the person.
      const { status, openBlocks } = context.state.turn
      if (status !== 'running' && openBlocks === undefined) return
      return showStep(MAIN, { type: 'stop', id, outcome, message: text }, context)
    }
    case 'retry':
      return retry(context)
    case 'reflection':
    case 'note': {
      if (text === '' || placeOf(context.notes.values).turn === 0) return
      const id = noteId(context.notes)
      if (said.type === 'reflection' && !context.state.findBlock(MAIN, id)) context.turn.start()
      return showStep(MAIN, { type: 'note', id, subtype: 'notice', message: text }, context)
    }
  }
}

/** The program asks the model again after an error, if the error is not one that has come before. */
function retry({ notes, state, turn }: AiderContext): void {
  const place = placeOf(notes.values)
  if (state.blocksOf(MAIN).at(-1)?.id === `note:${place.turn}.${place.note - 1}`) turn.start()
}

function noteId(notes: AiderContext['notes']): string {
  const place = placeOf(notes.values)
  notes.remember({ place: { ...place, note: place.note + 1 } })
  return `note:${place.turn}.${place.note}`
}

/** Shows that the program has applied an edit, with the change that the last reply writes. */
function showEdit(path: string, text: string, context: AiderContext): void {
  let reply: string | undefined
  for (const block of context.state.typeFromEnd(MAIN, 'assistant_text')) {
    if (block.type === 'assistant_text') reply = block.content
    break
  }
  const { cwd } = context.state.facts
  const changes = changesInReply(path, reply ?? '')?.map((change) =>
    withChanges(change, { path: absolutePath(change.path, cwd) }),
  )
  const id = noteId(context.notes)
  showStep(MAIN, { type: 'prompt', id, content: text, origin: 'notification', changes }, context)
}

/** Makes the notes that are needed to go on from a state: the ids have the places. */
function open(
  { blocks, usage, turn: { status } }: SessionConversationState,
  memory: Memory<AiderContext>,
): void {
  let place = START
  for (const { id } of [...blocks, ...usage.map(({ messageId }) => ({ id: `${messageId}:-1` }))]) {
    const [, kind, turnText, numberText = '0', partText] =
      /^(prompt|reply|note):(\d+)(?:\.(\d+))?(?::(-?\d+))?$/.exec(id) ?? []
    const [turn, number, part] = [Number(turnText), Number(numberText), Number(partText)]
    if (kind === undefined || turn < place.turn) continue
    if (turn > place.turn) place = { ...START, turn }
    if (kind === 'note') place = { ...place, note: Math.max(place.note, number + 1) }
    if (kind === 'reply' && part < 0) place = { ...place, reply: number + 1, part: 0 }
    if (kind === 'reply' && part >= 0 && number >= place.reply)
      place = { ...place, reply: number, part: part + 1 }
  }
  const last = blocks.at(-1)
  if (place.turn > 0) memory.notes.remember({ place })
  const isText = last?.type === 'assistant_text' || last?.type === 'thinking'
  // The part of a reply that the person has stopped is complete, and may go on.
  if (isText && (last.status === 'pending' || status === 'interrupted'))
    memory.notes.remember({ open: { id: last.id, length: last.content.length } })
  if (last?.type === 'user_message' && last.id.startsWith('prompt:') && typeof last.content === 'string')
    memory.notes.remember({ prompt: last.content })
}

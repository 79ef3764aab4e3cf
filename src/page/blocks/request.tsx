import type { SessionConversationState } from 'agentfold'
import { useSession, useToolCall } from 'agentfold/react'
import type { ReactNode } from 'react'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import type { RequestBlock } from '../../core/state/block.ts'
import type { RequestQuestion } from '../../core/state/request.ts'
import type { SessionFacts } from '../../core/state/session.ts'
import { showControls } from '../../redaction/printable.ts'
import { Counted } from '../session/counted.tsx'
import { RequestedInput } from '../tools/requested-input.tsx'
import { Answers, useAnswers } from './answer.tsx'
import { BlockFrame } from './block-frame.tsx'
import { QuestionForm, useQuestions } from './question-form.tsx'

type RequestProps = { readonly block: RequestBlock }

/** A request of the program with its options and the answer. A page without a host that answers says where to answer. */
export function Request({ block }: RequestProps): ReactNode {
  const { kind, title, comment, status } = block
  const answers = useAnswers(block)
  const form = useQuestions(block)
  const isOpen = status === 'pending'
  return (
    <Counted block={block}>
      <BlockFrame block={block} label={`${KINDS[kind]}, ${outcomeOf(block)}`}>
        <p className="request-head">
          <span className="note-name">{KINDS[kind]}</span>
          <span className="outcome">{outcomeOf(block)}</span>
        </p>
        <div className="text" data-field="title">
          {showControls(title)}
        </div>
        {isOpen && <WithoutCall block={block} />}
        {isOpen && answers.length === 0 && !form && <WhereToAnswer />}
        {answers.length > 0 && <Answers answers={answers} />}
        {form && <QuestionForm {...form} />}
        {answers.length === 0 && !form && <Choices block={block} />}
        {comment !== undefined && (
          <p className="note">
            Comment: <span data-field="comment">{comment}</span>
          </p>
        )}
      </BlockFrame>
    </Counted>
  )
}

/** The command or call that an open request would let run, unless the call around it shows it. */
function WithoutCall({ block }: RequestProps): ReactNode {
  const { conversationId, toolUseId = '' } = block
  return (
    !useToolCall(conversationId, toolUseId) && (
      <RequestedInput conversationId={conversationId} block={block} />
    )
  )
}

/** The page of a file has no way to the program, so it says where the person answers. */
function WhereToAnswer(): ReactNode {
  const { program = 'the program', cwd } = useSession(factsOf)
  return (
    <p className="note">
      Answer in {program}.
      {cwd !== undefined && (
        <>
          {' '}
          It runs in <code>{cwd}</code>.
        </>
      )}{' '}
      This page shows the answer.
    </p>
  )
}

function factsOf({ session }: SessionConversationState): SessionFacts {
  return session
}

const KINDS: Readonly<Record<RequestBlock['kind'], string>> = {
  permission: 'Permission',
  question: 'Question',
}

function outcomeOf({ status, denied, answer, options = [] }: RequestBlock): string {
  if (status === 'pending') return STATUS_WORDS.waiting
  if (denied) return 'denied'
  if (answer === undefined) return 'closed'
  if (typeof answer !== 'string') return 'answered'
  return `answered: ${options.find(({ id }) => id === answer)?.label ?? answer}`
}

/** The options of each question. An open permission has one list of options; an answered one shows the answer alone. */
function Choices({ block }: RequestProps): ReactNode {
  const { status, title, options, questions, answer } = block
  if (!questions) return status === 'pending' && <Options options={options ?? []} chosen={[]} />
  return questions.map((question, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: questions have no id, and keep their places
    <div key={at} className="question">
      {question.text !== title && (
        <div className="text" data-field="question">
          {question.text}
        </div>
      )}
      <Options options={question.options} chosen={chosenIn(answer, at)} />
    </div>
  ))
}

/** A refused question has no chosen options. */
function chosenIn(answer: RequestBlock['answer'], at: number): readonly string[] {
  return typeof answer === 'string' ? [] : (answer?.[at] ?? [])
}

interface OptionsProps {
  readonly options: RequestQuestion['options']
  /** The ids or labels of the answer. An answer may be the person's own words. */
  readonly chosen: readonly string[]
}

function Options({ options, chosen }: OptionsProps): ReactNode {
  const isOption = (answer: string) => options.some(({ id, label }) => id === answer || label === answer)
  const own = chosen.filter((answer) => !isOption(answer)).map((answer) => ({ id: answer, label: answer }))
  const shown: RequestQuestion['options'] = [...options, ...own]
  if (shown.length === 0) return null
  return (
    <ul className="options">
      {shown.map(({ id, label, description }) => {
        const isChosen = chosen.includes(id) || chosen.includes(label)
        return (
          <li key={id} className={isChosen ? 'chosen' : undefined}>
            <span className="option-label">{label}</span>
            {isChosen && <span className="choice"> (the answer)</span>}
            {description !== undefined && <span className="note"> {description}</span>}
          </li>
        )
      })}
    </ul>
  )
}

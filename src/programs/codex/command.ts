import { asArray, isString } from '../../core/json/values.ts'

/**
 * Returns the command as the model wrote it. Codex runs it as an argument of a shell: `["/bin/bash", "-lc", "ls"]`,
 * or the same as one text, `/bin/bash -lc 'ls'`.
 */
export function commandText(command: unknown): string {
  if (isString(command)) return (FLAG.test(command) ? scriptOf(splitWords(command)) : undefined) ?? command
  const words = asArray(command).filter(isString)
  return scriptOf(words) ?? words.join(' ')
}

/** A text without such a word, in quotes or not, runs no script: it needs no splitting. */
const FLAG = /\s['"\\]*-['"\\]*(?:l['"\\]*)?c['"\\]*\s/

/** Returns the script that a shell runs; undefined if the words are another command. */
function scriptOf(words: readonly string[]): string | undefined {
  const [shell = '', flag, script] = words
  const isScript = words.length === 3 && (flag === '-lc' || flag === '-c') && SHELL.test(shell)
  return isScript ? script : undefined
}

const SHELL = /(?:^|[\\/])(?:bash|zsh|sh|dash|fish)(?:\.exe)?$/

/** A part of a word: quoted in single quotes, quoted in double quotes, an escaped character, or plain. */
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy

/** Splits a command line at its spaces, as a shell does. Returns no words if a quote is open. */
function splitWords(line: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; ) {
    PART.lastIndex = at
    const match = PART.exec(line)
    if (match) {
      const [part, single, double, escaped, plain] = match
      word = (word ?? '') + (single ?? double?.replace(/\\([$`"\\\n])/g, '$1') ?? escaped ?? plain ?? '')
      at += part.length
    } else if (/\s/.test(line[at] ?? '')) {
      if (word !== undefined) words.push(word)
      word = undefined
      at += 1
    } else return []
  }
  return word === undefined ? words : [...words, word]
}

/** The output of a command, as the model reads it. */
interface CommandOutput {
  readonly output: string
  readonly isError: boolean
  readonly exitCode?: number | undefined
  /** The command still runs, and later calls with this id read its output. */
  readonly processId?: string | undefined
}

/** Reads the text that the model gets for a command. Its head names the exit code, and `Output:` begins the output. */
export function readCommandOutput(text: string): CommandOutput {
  const body = /^(?:[^\n]*\n){0,6}?Output:\n?/.exec(text)
  const head = body?.[0] ?? text.slice(0, MAX_HEAD)
  const code = /(?:Process exited with code|Exit code:) (-?\d+)/.exec(head)?.[1]
  const output = body ? text.slice(body[0].length) : text
  if (code !== undefined) return { output, isError: Number(code) !== 0, exitCode: Number(code) }
  const processId = /Process running with session ID (\S+)/.exec(head)?.[1]
  return { output, isError: isFailureText(text), processId }
}

/** In UTF-16 units. */
const MAX_HEAD = 500

/** The beginnings of the texts that state a failure. */
const FAILURE = /* @__PURE__ */ new RegExp(
  '^(?:unsupported (?:custom tool )?call|failed|exec_command failed|write_stdin failed' +
    '|execution error|apply_patch verification failed|patch rejected|command blocked by|error' +
    '|Script failed|Exit code: [1-9])',
  'i',
)

/** The text of a call that the person has stopped, with or without a head. */
const ABORTED = /^(?:(?:[\w ]+: [^\n]*\n){0,4}(?:Output:\n)?)aborted by user(?: after \S+)?\s*$/

/** Whether the text states that a call has failed, or that the person has stopped it. */
export function isFailureText(text: string): boolean {
  return FAILURE.test(text) || (text.length < MAX_HEAD && ABORTED.test(text))
}

/** The output of a refused call in a form that has no words for it. */
export const REFUSED = 'rejected by user'

/** The texts that state a person's refusal. */
const REFUSAL =
  /^(?:(?:patch|exec command) )?rejected by user|^(?:exec_command|apply_patch)\b[^\n]*rejected by user/

/** Whether the text states that a person has refused the call. */
export function isRefusalText(text: string): boolean {
  return text.length < MAX_HEAD && REFUSAL.test(text)
}

/** A command that a person has run, and its result. */
export interface PersonCommand extends Omit<CommandOutput, 'processId'> {
  readonly command: string
}

const PERSON_COMMAND =
  /^<user_shell_command>\n<command>\n([\s\S]*?)\n<\/command>\n<result>\n([\s\S]*?)\n<\/result>\n<\/user_shell_command>\s*$/

/** Reads the message that tells the model of such a command; undefined for any other text. */
export function readPersonCommand(text: string): PersonCommand | undefined {
  const [, command, result] = PERSON_COMMAND.exec(text) ?? []
  if (command === undefined || result === undefined) return undefined
  const { processId: _, ...read } = readCommandOutput(result)
  return { command, ...read }
}

import { Argument, Command, type Option } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import { type CommandMaker, suggestedValues } from './command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof SHELLS)[number]

/** `agentfold completion`. */
export const completionCommand: CommandMaker = (context) =>
  new Command('completion')
    .summary('print a script that completes commands, options and their values in a shell')
    .description('Prints a script that completes the commands, the options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      [
        '\nexamples:',
        '  source <(agentfold completion bash)',
        '  agentfold completion zsh > ~/.zfunc/_agentfold',
        '  agentfold completion fish > ~/.config/fish/completions/agentfold.fish',
      ].join('\n'),
    )
    .action((shell: Shell, _, command: Command) =>
      context.execute(async () => {
        const commands = command.parent?.commands.map(completedCommand) ?? []
        const help = { name: 'help', summary: 'print the help of a command', options: [] }
        const names = commands.map(({ name }) => name)
        return print(SCRIPTS[shell]([...commands, { ...help, values: names }]), context.terminal)
      }),
    )

/** A command of the completion. */
interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  /** The values of its argument. Without any, it may be the name of a file. */
  readonly values: readonly string[]
}

interface CompletedOption {
  readonly flag: string
  readonly description: string
  /** Whether the next word is its value. */
  readonly takesValue: boolean
  /** The usual values. Without any, a value may be the name of a file. */
  readonly values: readonly string[]
}

function completedCommand(command: Command): CompletedCommand {
  const options = command.options.flatMap((option) =>
    option.long ? [completedOption(option, option.long)] : [],
  )
  return {
    name: command.name(),
    summary: command.summary(),
    options: [...options, { flag: '--help', description: 'help', takesValue: false, values: [] }],
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
}

/** An optional value follows `=`. */
function completedOption(option: Option, flag: string): CompletedOption {
  const values = option.required ? suggestedValues(option) : []
  return { flag, description: option.description, takesValue: option.required, values }
}

function print(script: string, terminal: Terminal): number {
  terminal.write(script)
  return 0
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    ({ name, options, values }) =>
      `    ${name}) words="${[...values, ...options.map(({ flag }) => flag)].join(' ')}" ;;`,
  )
  // A value without suggestions may be the name of a file.
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap((option) =>
      option.takesValue ? [`    '${name} ${option.flag}') words="${option.values.join(' ')}" ;;`] : [],
    ),
  )
  return `_agentfold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${commands.map(({ name }) => name).join(' ')} --help --version"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -gt 2 ] && case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _agentfold agentfold
`
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  const cases = commands.map(
    ({ name, options, values }) =>
      `      ${name}) _arguments ${options.map(zshOption).join(' ')} '*:${values.length > 0 ? `value:(${values.join(' ')})` : 'file:_files'}' ;;`,
  )
  return `#compdef agentfold
_agentfold() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands
  else
    local command=\${words[2]}
    shift words
    (( CURRENT-- ))
    case $command in
${cases.join('\n')}
    esac
  fi
}
compdef _agentfold agentfold
`
}

function zshOption({ flag, description, takesValue, values }: CompletedOption): string {
  const value = values.length > 0 ? `:value:(${values.join(' ')})` : takesValue ? ':value:_files' : ''
  return quoted(`${flag}[${plain(description)}]${value}`)
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, values: words }) => [
    `complete -c agentfold -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...(words.length > 0
      ? [`complete -c agentfold -n '__fish_seen_subcommand_from ${name}' -f -a ${quoted(words.join(' '))}`]
      : []),
    ...options.map(
      ({ flag, description, takesValue, values }) =>
        `complete -c agentfold -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}` +
        `${fishValue(takesValue, values)} -d ${quoted(description)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

/** `-r` completes files, and `-x` the values alone. */
function fishValue(takesValue: boolean, values: readonly string[]): string {
  if (values.length > 0) return ` -x -a ${quoted(values.join(' '))}`
  return takesValue ? ' -r' : ''
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

/** The brackets and colons of a description would end it in zsh. */
function plain(text: string): string {
  return text.replace(/[[\]]/g, '').replaceAll(':', ' –')
}

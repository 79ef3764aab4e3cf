/** The command cannot use an input, or cannot print it. The message is one line for the user. */
export class InputError extends Error {}

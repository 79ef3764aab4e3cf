/** An object of JSON. */
export type JsonObject = { [key: string]: unknown }

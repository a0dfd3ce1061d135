/** Seals what is stored and opens it again; the feature hands one in, made with SECRET_KEY. */
export interface SecretBox {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
}

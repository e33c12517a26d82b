// What every part of the Author page begins with: the page that it is a part of.
import type { Author } from "./author.ts";

export class AuthorPart {
  readonly author: Author;

  constructor(author: Author) {
    this.author = author;
  }
}

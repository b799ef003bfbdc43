"use strict";

// Ranking: pages with any word of a query, by stems and synonyms, as `toolgen search` finds tools. No access to the page.
globalThis.toolgenRanking = (rows, { stems, synonyms, ignored }) => {
  const skipped = new Set(ignored.split(" "));
  const known = new Map(Object.entries(stems));
  const meant = new Map(Object.entries(synonyms));
  const stem = (word) => known.get(word) ?? word;
  const stemmed = (words) => ` ${[...new Set(words.trim().split(" ").map(stem))].join(" ")} `;
  for (const row of rows) {
    row.nameStems = stemmed(row.names);
    row.otherStems = stemmed(row.others);
  }

  // Stems of a word that no page has: those of words that differ by an English ending.
  const near = (word) => {
    const bare = word.replace(/(?:ations?|ions?|ings?|ed|ers?|es|s)$/, "");
    const forms = [word, word.replace(/s$/, ""), bare, `${bare}e`, `${bare}y`, bare.replace(/([^aeiou])\1$/, "$1")];
    return [...new Set(forms.filter((form) => form.length > 2).flatMap((form) => [stem(form), form.replace(/e$/, "")]))];
  };
  const meanings = (word) => {
    const own = known.has(word) ? [known.get(word)] : near(word);
    return { own, others: [...new Set(own.flatMap((each) => (meant.get(each) ?? "").split(" ").filter(Boolean)))] };
  };
  const has = (words, each) => words.includes(` ${each} `);

  const points = (row, word, { own, others }) => {
    if (has(row.names, word)) return 20;
    if (own.some((each) => has(row.nameStems, each))) return 16;
    if (row.names.includes(` ${word}`)) return 12;
    if (others.some((each) => has(row.nameStems, each))) return 9;
    if (row.exact.includes(word)) return 8;
    if (has(row.others, word)) return 4;
    if (own.some((each) => has(row.otherStems, each))) return 3;
    if (row.others.includes(` ${word}`)) return 2;
    return others.some((each) => has(row.otherStems, each)) ? 1 : 0;
  };

  // A word that few pages have says more. Pages with all words come before those with some.
  return (text) => {
    const query = text.trim().toLowerCase();
    const given = [...new Set(query.split(/[\s,;]+/).filter(Boolean))];
    const asked = given.filter((word) => !skipped.has(word));
    const words = asked.length ? asked : given;
    const matched = words.map((word) => {
      const meaning = meanings(word);
      return rows.map((row) => points(row, word, meaning));
    });
    const weights = matched.map((each) => Math.log(1 + rows.length / (1 + each.filter(Boolean).length)));
    const found = [];
    rows.forEach((row, at) => {
      const held = matched.filter((each) => each[at]).length;
      if (!held) return;
      const sum = matched.reduce((total, each, place) => total + each[at] * weights[place], 0);
      const whole = row.exact === query ? 100 : row.exact.startsWith(query) ? 12 : 0;
      found.push([held === words.length ? 1 : 0, sum + whole + (row.kind === "tools" ? 0 : 3), row]);
    });
    found.sort((a, b) => b[0] - a[0] || b[1] - a[1] || (a[2].name < b[2].name ? -1 : 1));
    return found.map(([, , row]) => row);
  };
};

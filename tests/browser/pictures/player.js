// Drives the player for the check: mounts it, opens at a step what a reader can open there, and looks.
/* global MOUNTED, mount, unpack, bytesOf, framesDrawn */
let closeMounted;

globalThis.tidemarkPlayer = () => MOUNTED.get(document.getElementById("player"))?.player;

/** Waits until the player is drawn. */
async function playerReady() {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    await framesDrawn(1);
    const player = globalThis.tidemarkPlayer();
    if (player?.root.dataset.ready === "true") return player;
  }
  throw new Error("the player is not drawn");
}

globalThis.tidemarkMount = async (packed, embedded) => {
  window.history.replaceState(null, "", embedded ? "/?embed=true" : "/");
  window.localStorage.clear();
  const parentElement = document.getElementById("player");
  closeMounted?.();
  parentElement.replaceChildren();
  closeMounted = mount({ data: bytesOf(packed), parentElement, setTriggerValue() {}, alone: 0 });
  await playerReady();
};

/** Puts a try-out in the place of what is shown, as the answer of the server does. */
globalThis.tidemarkTryOut = async (packed, said) => {
  const player = globalThis.tidemarkPlayer();
  const bytes = bytesOf(packed);
  const original = player.tryouts.original();
  player.swap(await unpack(bytes), bytes, { ...said, original });
  await playerReady();
  await framesDrawn();
};

let size = "";

/** On a phone the picture is as high as the words of the step allow, and is drawn again before anybody sees it. */
async function settled({ planeCard }) {
  const now = `${planeCard.clientWidth} ${planeCard.clientHeight}`;
  if (now === size) return;
  size = now;
  await framesDrawn(2);
}

/** What is opened at a step, each with what closes it again. */
const ASPECTS = {
  why: (player) => {
    player.why.cycle();
    return () => player.why.close();
  },
  buffered: (player) => {
    player.why.open(player.facts.at("buffers", player.step)[0].id);
    return () => player.why.close();
  },
  question: (player) => {
    player.predictor.forget();
    player.predictor.toggle();
    return () => player.predictor.toggle();
  },
  answer: (player) => {
    player.predictor.forget();
    player.predictor.toggle();
    player.predictor.choose(0);
    return () => player.predictor.toggle();
  },
};

globalThis.tidemarkAt = async (step, aspect) => {
  const player = globalThis.tidemarkPlayer();
  player.step = step;
  if (!aspect) {
    player.paint();
    await settled(player);
    return { step, aspect, ...globalThis.tidemarkLook() };
  }
  const close = ASPECTS[aspect](player);
  await framesDrawn();
  player.paint();
  const found = globalThis.tidemarkLook();
  close();
  await framesDrawn();
  return { step, aspect, ...found };
};

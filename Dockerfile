# The app as a server: docker build -t tidemark . && docker run -p 8501:8501 -v "$PWD/scenarios:/scenarios" tidemark
# Its file system may be read-only: docker run --read-only --tmpfs /tmp …

FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
COPY requirements.txt /
# EXTRA=all adds Spark, for the pages Spark check and Your stream.
ARG EXTRA=app
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --constraint /requirements.txt "$(ls /wheels/*.whl)[${EXTRA}]" \
    && useradd --uid 1000 tidemark && install --directory --owner=tidemark /scenarios
USER tidemark
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1
VOLUME /scenarios
EXPOSE 8501
HEALTHCHECK --start-period=30s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=3)"]
ENTRYPOINT ["tidemark", "app", "--address", "0.0.0.0", "--scenarios", "/scenarios"]

CREATE TABLE o (k STRING, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), f BOOLEAN, rt TIMESTAMP(3), proc AS PROCTIME(),
    WATERMARK FOR rt AS rt - INTERVAL '5' SECOND) WITH ('connector' = 'datagen');
CREATE TABLE r (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '2' SECOND,
    PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'datagen');
CREATE TABLE nw (k STRING, v INT, rt TIMESTAMP(3)) WITH ('connector' = 'datagen');
CREATE TABLE e (k STRING, v INT, ts BIGINT, rt AS TO_TIMESTAMP_LTZ(ts, 3), WATERMARK FOR rt AS rt)
    WITH ('connector' = 'datagen');

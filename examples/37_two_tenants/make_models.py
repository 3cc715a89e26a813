#!/usr/bin/env python3
"""Writes resnet50.onnx and transformer_block.onnx into a folder, or beside itself: graphs with shapes and no weights.

ResNet-50: He et al., Deep residual learning for image recognition, CVPR 2016, with the stride in the 3 x 3 convolution.
Transformer block: Devlin et al., BERT, NAACL 2019, the base model, as the fused operators of ONNX Runtime.
"""
import os
import sys


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


class Graph:
    """Nodes and tensors in the protobuf messages of an ONNX model."""

    FLOAT16 = 10

    def __init__(self, shape):
        self.nodes, self.weights, self.made = b"", b"", 0
        self.inputs = text(11, text(1, "input") + self.type_of(shape))

    def type_of(self, shape):
        dims = b"".join(text(1, number(1, dim)) for dim in shape)
        return text(2, text(1, number(1, self.FLOAT16) + text(2, dims)))

    def weight(self, *shape):
        self.made += 1
        name = f"w{self.made}"
        self.weights += text(5, b"".join(number(1, dim) for dim in shape) + number(2, self.FLOAT16) + text(8, name))
        return name

    def node(self, op, name, inputs, **attributes):
        self.made += 1
        output = f"t{self.made}"
        out = b"".join(text(1, one) for one in inputs) + text(2, output) + text(3, name) + text(4, op)
        for key, value in attributes.items():
            if isinstance(value, list):
                out += text(5, text(1, key) + b"".join(number(8, one) for one in value) + number(20, 7))
            else:
                out += text(5, text(1, key) + number(3, value) + number(20, 2))
        self.nodes += text(1, out)
        return output

    def write(self, name, output):
        graph = self.nodes + text(2, name) + self.weights + self.inputs + text(12, text(1, output))
        model = number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, 13))
        folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, name + ".onnx"), "wb") as file:
            file.write(model)


def resnet50():
    graph = Graph([1, 3, 224, 224])

    def convolution(name, data, channels, out, kernel, stride):
        pad = kernel // 2
        return graph.node("Conv", name, [data, graph.weight(out, channels, kernel, kernel), graph.weight(out)],
                          kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, dilations=[1, 1], group=1)

    data = convolution("conv1", "input", 3, 64, 7, 2)
    data = graph.node("Relu", "conv1.relu", [data])
    data = graph.node("MaxPool", "maxpool", [data], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)], 1):
        for block in range(blocks):
            name, stride = f"layer{stage}.{block}", 2 if stage > 1 and block == 0 else 1
            inner = convolution(name + ".conv1", data, channels, width, 1, 1)
            inner = graph.node("Relu", name + ".relu1", [inner])
            inner = convolution(name + ".conv2", inner, width, width, 3, stride)
            inner = graph.node("Relu", name + ".relu2", [inner])
            inner = convolution(name + ".conv3", inner, width, 4 * width, 1, 1)
            if block == 0:
                data = convolution(name + ".downsample", data, channels, 4 * width, 1, stride)
            data = graph.node("Add", name + ".add", [inner, data])
            data = graph.node("Relu", name + ".relu", [data])
            channels = 4 * width
    data = graph.node("GlobalAveragePool", "avgpool", [data])
    data = graph.node("Flatten", "flatten", [data], axis=1)
    data = graph.node("Gemm", "fc", [data, graph.weight(1000, channels), graph.weight(1000)], transB=1)
    graph.write("resnet50", data)


def transformer_block(tokens=128, hidden=768, heads=12, feed_forward=3072):
    graph = Graph([1, tokens, hidden])

    def normalise(name, data, skip):
        return graph.node("SkipLayerNormalization", name,
                          [data, skip, graph.weight(hidden), graph.weight(hidden), graph.weight(hidden)])

    data = graph.node("Attention", "attention", ["input", graph.weight(hidden, 3 * hidden), graph.weight(3 * hidden)],
                      num_heads=heads)
    data = graph.node("MatMul", "projection", [data, graph.weight(hidden, hidden)])
    middle = normalise("norm1", data, "input")
    data = graph.node("MatMul", "feed_forward1", [middle, graph.weight(hidden, feed_forward)])
    data = graph.node("BiasGelu", "gelu", [data, graph.weight(feed_forward)])
    data = graph.node("MatMul", "feed_forward2", [data, graph.weight(feed_forward, hidden)])
    graph.write("transformer_block", normalise("norm2", data, middle))


if __name__ == "__main__":
    resnet50()
    transformer_block()
